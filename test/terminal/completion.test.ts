import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { installDebian } from '../../tools/emulators/debian.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { segueHere } from '../support/segue.ts';
import { startInTerminal } from './in-terminal.ts';

beforeAll(() => installDebian(['fish', 'zsh']), 300_000);

/** Lines up to the cursor, and the words that stand there after Tab. */
const LINES: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['segue do', ['doctor']],
  ['segue company ro', ['rotate']],
  ['segue company add --sc', ['--scopes']],
  ['segue --stack Segue company add --js', ['--json']],
  ['segue projects create cata', ['catalogue.json']],
];

/** Returns a folder with a file and the script of a shell. */
async function folderFor(shell: 'fish' | 'zsh') {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'catalogue.json'), '{}');
  const script = join(folder, 'completion');
  writeFileSync(script, (await segueHere(folder, 'completion', shell)).stdout);
  return { folder, script };
}

describe('segue completion fish', () => {
  it.each(LINES)('completes %s', async (line, words) => {
    const { folder, script } = await folderFor('fish');
    const command = `source ${script}; complete -C '${line}'`;
    const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', command], { cwd: folder });
    expect(stdout.trim().split('\n')).toEqual(words);
  });
});

describe('segue completion zsh', () => {
  it.each(LINES)('completes %s', async (line, [word = '']) => {
    const { folder, script } = await folderFor('zsh');
    // The command prints the completed word, so the text in the terminal is not what was typed.
    const settings = `PS1='ready> '\nautoload -U compinit\ncompinit -u\nsource ${script}\ncd ${folder}\nsegue() { echo "[$@[-1]]" }\n`;
    writeFileSync(join(folder, '.zshrc'), settings);
    const shell = startInTerminal({ HOME: folder, ZDOTDIR: folder }, ['zsh', '-d', '-i']);
    await shell.until('ready> ');
    shell.type(`${line}\t\r`);
    await shell.until(`[${word}]`);
    shell.type('exit\r');
    expect(await shell.ended).toBe(0);
  });
});
