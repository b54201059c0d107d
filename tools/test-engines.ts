import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startApertium } from './emulators/apertium.ts';

/** `npm run test:engines` tests automatic translation with a real engine, Apertium. Its arguments are passed to vitest. */

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

const apertium = await startApertium();
try {
  const args = [VITEST, 'run', '--project', 'engines', ...process.argv.slice(2)];
  const env = { ...process.env, APERTIUM_URL: apertium.url };
  const vitest = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env });
  const [code] = await once(vitest, 'close');
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  await apertium.stop();
}
