import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { libfaketime, movedBy, offsetOf } from './moved-date.ts';

/** `npm run test:moved -- <date>`: the tests on another date. Arguments behind it go to vitest. */
const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

const [date = '', ...args] = process.argv.slice(2);
const offset = offsetOf(date, Date.now());
if (offset === undefined) {
  console.error('Usage: npm run test:moved -- +400d | 2028-02-29 [what vitest takes]');
  process.exit(2);
}
try {
  const env = { ...process.env, ...movedBy(offset, libfaketime()) };
  const vitest = spawn(process.execPath, [VITEST, 'run', ...args], { cwd: ROOT, stdio: 'inherit', env });
  const [code] = await once(vitest, 'close');
  process.exitCode = code === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
