import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Runs a script that needs no build, and returns how it ended. */
function ended(script: string, args: readonly string[]) {
  // A script that takes the arguments for right would work for minutes.
  const options = { cwd: ROOT, env: childEnvironment({}), timeout: MUCH_WORK_MS / 2 };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

const BENCH = /^Usage: npm run bench -- .*--only create\|.*\|guards\|dearest\|.*\n$/;
const COLD = /^Usage: npm run bench:cold -- .*\n$/;
const FAULTS = /^Usage: npm run faults -- .*\nKinds: .*companies.*\n$/;

it.each([
  [
    'bench/run.ts',
    BENCH,
    [['--nosuch'], ['--only', 'create', '--only', 'nosuch'], ['--against', 'main', '--pairs', '0']],
  ],
  ['bench/cold-start/run.ts', COLD, [['--nosuch'], ['--rounds', 'x']]],
  [
    'tools/faults.ts',
    FAULTS,
    [['--nosuch'], ['nosuch'], ['kills', '0'], ['kills', '1', 'x'], ['kills', '1', '1', '1']],
  ],
  [
    'tools/faults.ts',
    FAULTS,
    [
      ['--only', 'nothing'],
      ['kills', '1', '--only', 'x'],
      ['companies', '--only', 'nosuch'],
    ],
  ],
] as const)('%s prints its usage and exits with 2 if the arguments are wrong', async (script, usage, wrong) => {
  const all = await Promise.all(wrong.map((args) => ended(script, args)));
  expect(all).toEqual(wrong.map(() => ({ code: 2, stdout: '', stderr: expect.stringMatching(usage) })));
});

it.each([
  ['bench/run.ts', BENCH],
  ['bench/cold-start/run.ts', COLD],
  ['tools/faults.ts', FAULTS],
])('%s --help prints its usage', async (script, usage) => {
  expect(await ended(script, ['--help'])).toEqual({ code: 0, stdout: expect.stringMatching(usage), stderr: '' });
});
