import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from '../bench/support/install-peers.ts';

/** `npm run test:tools` tests the API description with tools of API users. Its arguments are passed to vitest. */

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

await installPeers(join(ROOT, 'test/tools'));
const args = [VITEST, 'run', '--config', 'vitest.tools.config.ts', ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
