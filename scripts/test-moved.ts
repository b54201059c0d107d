import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { LibraryMissing, libfaketime, movedBy, offsetOf } from './moved-date.ts';

/**
 * `npm run test:moved -- [--if-possible] <date>`: the tests on another date. Arguments behind it go to vitest. With
 * `--if-possible`, a machine without libfaketime that cannot install it is no failure.
 */
const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

const { isOptional, date, args } = commandLine(process.argv.slice(2));
const offset = offsetOf(date, Date.now());
if (offset === undefined) {
  console.error('Usage: npm run test:moved -- [--if-possible] +400d | 2028-02-29 [what vitest takes]');
  process.exit(2);
}
try {
  const env = { ...process.env, ...movedBy(offset, libfaketime()) };
  const vitest = spawn(process.execPath, [VITEST, 'run', ...args], { cwd: ROOT, stdio: 'inherit', env });
  const [code] = await once(vitest, 'close');
  process.exitCode = code === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof LibraryMissing)) throw error;
  console.error(error.message);
  process.exitCode = isOptional ? 0 : 1;
}

function commandLine([first = '', ...rest]: readonly string[]) {
  if (first !== '--if-possible') return { isOptional: false, date: first, args: rest };
  const [date = '', ...args] = rest;
  return { isOptional: true, date, args };
}
