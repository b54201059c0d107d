import { installPeers } from '../../bench/support/install-peers.ts';

/** Installs the linters of packages. */
export default async function setup(): Promise<void> {
  await installPeers(import.meta.dirname);
}
