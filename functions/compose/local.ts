import { signingKeys } from './local-credentials.ts';
import { storage } from './local-store.ts';

/** One machine: SQLite and the signing keys in a folder, a sandbox company from the environment. */
export { authentication, keys } from './local-credentials.ts';
export { storage } from './local-store.ts';
export { upstreamSecret } from './local-upstream-secret.ts';

/** Opens everything now, so that what is wrong is said at the start and not at the first request. */
export function openPlatform(): void {
  storage();
  signingKeys();
}

export function closePlatform(): void {
  storage().close();
}
