import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { textOf } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

const ROOT = join(import.meta.dirname, '../..');

it('npm run faults -- companies --only prints the attack when it is known, and leaves nothing when interrupted', {
  timeout: MUCH_WORK_MS,
}, async () => {
  const folder = temporaryFolder();
  const args = ['tools/faults.ts', 'companies', '1', '--only', 'noth'];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: childEnvironment({ TMPDIR: folder }) });
  const ended = once(child, 'close');
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  const line = /^companies: nothing: alive after .*\n/m;
  await new Promise<void>((resolve) => {
    child.stderr.on('data', () => void (line.test(stderr()) && resolve()));
    child.on('close', () => resolve());
  });
  expect(stderr()).toMatch(line);
  expect(readdirSync(folder)).not.toEqual([]);
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
  expect(stdout()).toBe('');
  expect(readdirSync(folder)).toEqual([]);
});
