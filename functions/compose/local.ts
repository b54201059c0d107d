import { requireActiveCompany } from '../../lib/credentials/company-record.ts';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { sourcesIn } from '../../lib/webhooks/sources.ts';
import { credentialsOn } from './local-credentials.ts';
import { dataFolder } from './local-folder.ts';
import { once } from './once.ts';

/** Nobody listens to what is done to projects. */
export const newEventId = undefined;

export { readObject } from './local-objects.ts';
export { sandbox } from './local-sandbox.ts';
export { sourceSecrets } from './local-source-secrets.ts';
export { upstreamSecret } from './local-upstream-secret.ts';

/** One machine: SQLite and all keys in a folder. */
export const storage = once(() => new SqliteStorage(openDatabase(dataFolder()), Date.now));
/** Who owns what at another service is in the same store. */
export const ledger = storage;

/** And what webhooks brought. */
export const deliveries = storage;
export const sources = once(() => sourcesIn(storage()));

const { signingKeys, ...credentials } = credentialsOn(storage);
export const { keys, authentication, companyRate } = credentials;
/** The companies in the same store. */
export const requireCompany = requireActiveCompany(storage);

/** Opens everything now, so that what is wrong is said at the start and not at the first request. */
export function openPlatform(): void {
  storage();
  signingKeys();
  keys();
}

export function closePlatform(): void {
  storage().close();
}
