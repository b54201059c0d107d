import { randomUUID } from 'node:crypto';
import type { AuthDeps } from '../../lib/credentials/authenticate.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { storedKeys } from '../../lib/credentials/key-directory.ts';
import { withSandboxKey } from '../../lib/credentials/sandbox.ts';
import { cachedSigningKeys, parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { openSigningKeysFile } from '../../lib/credentials/signing-keys-file.ts';
import type { ItemStore } from '../../lib/storage/port.ts';
import { dataFolder } from './local-folder.ts';
import { companyRate } from './local-rate.ts';
import { sandbox } from './local-sandbox.ts';
import { once } from './once.ts';

/** The credentials of one machine: signing keys in its data folder, company keys in a store. */
export function credentialsOn(store: () => ItemStore) {
  /** The keys of the companies in the store, and that of the sandbox company. */
  const keys = once(() => withSandboxKey(sandbox(), storedKeys(store()), store()));

  const signingKeys = once(() =>
    cachedSigningKeys(cachedSecret(openSigningKeysFile(dataFolder()), parseSigningKeys, { now: Date.now })),
  );

  const authentication = once(
    (): AuthDeps => ({
      keys: keys(),
      store: store(),
      signingKeys: (id) => signingKeys()(id),
      now: Date.now,
      newId: randomUUID,
      rate: companyRate(),
    }),
  );

  return { keys, signingKeys, authentication, companyRate };
}
