import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Authentication } from '../../lib/credentials/authentication.ts';
import { keysInTable, withFixedKey } from '../../lib/credentials/keys.ts';
import { cachedSecret } from '../../lib/credentials/secrets.ts';
import { readSigningKeys, signingKeysOf } from '../../lib/credentials/signing-keys.ts';
import { signingKeysInFolder } from '../../lib/credentials/signing-keys-file.ts';
import type { ItemStore } from '../../lib/storage/port.ts';
import { dataFolder } from './local-folder.ts';
import { once } from './once.ts';

/** The credentials of one machine: signing keys in its data folder, company keys in a store. */
export function credentialsOn(store: () => ItemStore) {
  /** The keys of the companies in the store, and that of a sandbox company from the environment. */
  const keys = once(() => {
    const { SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey } = z
      .object({ SEGUE_COMPANY_ID: z.string(), SEGUE_API_KEY: z.string() })
      .parse(process.env);
    return withFixedKey({ companyId, apiKey }, keysInTable(store()), store());
  });

  const signingKeys = once(() =>
    signingKeysOf(cachedSecret(signingKeysInFolder(dataFolder()), readSigningKeys, { now: Date.now })),
  );

  const authentication = once(
    (): Authentication => ({
      keys: keys(),
      store: store(),
      signingKeys: (id) => signingKeys()(id),
      now: Date.now,
      newId: randomUUID,
    }),
  );

  return { keys, signingKeys, authentication };
}
