import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from '../bench/support/install-peers.ts';

/** `npm run test:packages` tests the packages as users install them. Its arguments are passed to vitest. */

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

await installPeers(join(ROOT, 'test/packages'));
const args = [VITEST, 'run', '--project', 'packages', ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
