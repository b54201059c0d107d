import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from '../../bench/support/install-peers.ts';

const TSC = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/**
 * Installs the tools of a folder of tests, and checks the types of its tests: `npm run check` has no tools.
 * @throws an error if a type is wrong
 */
export async function installTools(folder: string): Promise<void> {
  await installPeers(folder);
  execFileSync(process.execPath, [TSC, '-p', folder], { stdio: 'inherit' });
}
