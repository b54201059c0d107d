import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { libfaketime, movedBy, offsetOf } from './moved-date.ts';

/**
 * `npm run test:moved -- [--if-possible] <date>` runs the tests on another date. Further arguments are passed to vitest.
 * With `--if-possible`, it succeeds without running tests if libfaketime is missing and cannot be installed.
 */

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

const [first = '', ...others] = process.argv.slice(2);
const isOptional = first === '--if-possible';
const [date = '', ...args] = isOptional ? others : [first, ...others];
const offset = offsetOf(date, Date.now());
if (offset === undefined) {
  console.error('Usage: npm run test:moved -- [--if-possible] +400d | 2028-02-29 [arguments for vitest]');
  process.exit(2);
}
const library = libfaketime();
if (library === undefined) {
  console.error('libfaketime is missing: install it with `apt-get install libfaketime` (Debian, Ubuntu)');
  process.exit(isOptional ? 0 : 1);
}
const env = { ...process.env, ...movedBy(offset, library) };
const vitest = spawn(process.execPath, [VITEST, 'run', '--project', 'unit', ...args], {
  cwd: ROOT,
  stdio: 'inherit',
  env,
});
const [code] = await once(vitest, 'close');
process.exitCode = code === 0 ? 0 : 1;
