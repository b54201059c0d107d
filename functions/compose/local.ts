import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Authentication } from '../../lib/credentials/authenticate.ts';
import { keysInTable, withFixedKey } from '../../lib/credentials/keys.ts';
import { signingKeysInFolder } from '../../lib/credentials/signing-keys-file.ts';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { once } from './once.ts';

export { upstreamSecret } from './local-upstream-secret.ts';

/** One machine: SQLite and the signing keys in a folder, a sandbox company from the environment. */
const settings = once(() =>
  z.object({ SEGUE_DATA_DIR: z.string(), SEGUE_COMPANY_ID: z.string(), SEGUE_API_KEY: z.string() }).parse(process.env),
);

export const storage = once(() => new SqliteStorage(openDatabase(settings().SEGUE_DATA_DIR)));

const signingKeys = once(() => signingKeysInFolder(settings().SEGUE_DATA_DIR));

export const authentication = once((): Authentication => {
  const { SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey } = settings();
  const keys = withFixedKey({ companyId, apiKey }, keysInTable(storage()));
  return { keys, signingKeys: async () => signingKeys(), now: Date.now, newId: randomUUID };
});

/** Opens everything now, so that what is wrong is said at the start and not at the first request. */
export function openPlatform(): void {
  storage();
  signingKeys();
}

export function closePlatform(): void {
  storage().close();
}
