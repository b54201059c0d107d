import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { segueHere } from '../../../test/support/segue.ts';

const hasBash = spawnSync('bash', ['-c', 'true']).error === undefined;

/** Returns what bash offers for the last word of a line. */
async function offered(line: string): Promise<string[]> {
  const folder = temporaryFolder();
  const { stdout: script } = await segueHere(folder, 'completion', 'bash');
  const words = line.split(' ');
  const path = join(folder, 'completion.sh');
  writeFileSync(
    path,
    `${script}\nCOMP_WORDS=(${words.map((word) => `"${word}"`).join(' ')})\nCOMP_CWORD=${words.length - 1}\n_segue\necho "\${COMPREPLY[@]}"\n`,
  );
  return (await promisify(execFile)('bash', [path])).stdout.trim().split(' ');
}

describe.runIf(hasBash)('segue completion bash', () => {
  it.each([
    ['segue pro', ['projects', 'progress']],
    ['segue company ro', ['rotate']],
    ['segue company add --sc', ['--scopes']],
    ['segue --stack Segue company add --js', ['--json']],
    ['segue nothing of this', ['']],
  ])('completes %s', async (line, words) => {
    expect((await offered(line)).sort()).toEqual([...words].sort());
  });
});

it.each(['zsh', 'fish'])('segue completion %s offers every group of commands', async (shell) => {
  const { stdout } = await segueHere(temporaryFolder(), 'completion', shell);
  for (const name of ['company', 'projects', 'source', 'doctor']) expect(stdout).toContain(name);
});

it('segue completion refuses an unknown shell', async () => {
  expect(await segueHere(temporaryFolder(), 'completion', 'tcsh')).toMatchObject({ code: 2 });
});
