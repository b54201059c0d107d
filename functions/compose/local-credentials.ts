import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Authentication } from '../../lib/credentials/authentication.ts';
import { keysInTable, withFixedKey } from '../../lib/credentials/keys.ts';
import { sandboxKeyInFolder } from '../../lib/credentials/sandbox-key-file.ts';
import { cachedSecret } from '../../lib/credentials/secrets.ts';
import { readSigningKeys, signingKeysOf } from '../../lib/credentials/signing-keys.ts';
import { signingKeysInFolder } from '../../lib/credentials/signing-keys-file.ts';
import type { ItemStore } from '../../lib/storage/port.ts';
import { dataFolder } from './local-folder.ts';
import { once } from './once.ts';

/** The credentials of one machine: signing keys in its data folder, company keys in a store. */
export function credentialsOn(store: () => ItemStore) {
  /** The sandbox company, with the key from the environment, or else the one in the data folder. */
  const sandbox = once(() => {
    const { SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey } = z
      .object({ SEGUE_COMPANY_ID: z.string(), SEGUE_API_KEY: z.optional(z.string()) })
      .parse(process.env);
    return { companyId, apiKey: apiKey ?? sandboxKeyInFolder(dataFolder(), companyId) };
  });

  /** The keys of the companies in the store, and that of the sandbox company. */
  const keys = once(() => withFixedKey(sandbox(), keysInTable(store()), store()));

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

  return { sandbox, keys, signingKeys, authentication };
}
