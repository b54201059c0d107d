import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from '../bench/support/install-peers.ts';
import { chromiumPath } from './emulators/chromium.ts';

/** `npm run test:browser` tests the pages in Chromium. Its arguments are passed to vitest. */

const ROOT = join(import.meta.dirname, '..');
const BROWSER = join(ROOT, 'test/browser');

const env = { ...process.env, CHROMIUM: chromiumPath() };
await installPeers(BROWSER);
// `npm run check` does not install the browser tools, so the types of these tests are checked here.
const commands = [
  ['typescript/bin/tsc', '-p', BROWSER],
  ['vitest/vitest.mjs', 'run', '--project', 'browser', ...process.argv.slice(2)],
] as const;
const passes = commands.every(([program, ...args]) => {
  const path = join(ROOT, 'node_modules', program);
  return spawnSync(process.execPath, [path, ...args], { cwd: ROOT, stdio: 'inherit', env }).status === 0;
});
process.exitCode = passes ? 0 : 1;
