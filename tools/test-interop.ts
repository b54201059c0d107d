import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from '../bench/support/install-peers.ts';
import { pythonClientGenerator } from '../test/interop/python-client.ts';

/**
 * `npm run test:interop` tests with tools of others: those of API users, and a validator of the SBOM. Its arguments are
 * passed to vitest.
 */

const ROOT = join(import.meta.dirname, '..');
const TOOLS = join(ROOT, 'test/interop');

await installPeers(TOOLS);
pythonClientGenerator();
// `npm run check` does not install the tools, so the types of these tests are checked here.
const commands = [
  ['typescript/bin/tsc', '-p', TOOLS],
  ['vitest/vitest.mjs', 'run', '--project', 'interop', ...process.argv.slice(2)],
] as const;
const passes = commands.every(([program, ...args]) => {
  const path = join(ROOT, 'node_modules', program);
  return spawnSync(process.execPath, [path, ...args], { cwd: ROOT, stdio: 'inherit' }).status === 0;
});
process.exitCode = passes ? 0 : 1;
