import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { AuthDeps } from '../../lib/credentials/authenticate.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { storedKeys } from '../../lib/credentials/key-directory.ts';
import { storedRate } from '../../lib/credentials/rate-limit.ts';
import { cachedSigningKeys, parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { pause } from '../../lib/storage/dynamodb/pause.ts';
import { items } from './aws-items.ts';
import { secretReader } from './aws-secrets.ts';
import { once } from './once.ts';
import { companyRateSetting } from './settings.ts';
import { toldStale } from './stale.ts';

/** The companies' keys in the table. */
export const keys = once(() => storedKeys(items()));

/** The table and the signing keys in Secrets Manager. */
export function authentication(): AuthDeps {
  const { SEGUE_SIGNING_SECRET } = z.object({ SEGUE_SIGNING_SECRET: z.string() }).parse(process.env);
  const rate = companyRateSetting();
  const read = secretReader();
  const secret = cachedSecret(() => read(SEGUE_SIGNING_SECRET), parseSigningKeys, {
    now: Date.now,
    onStale: toldStale('staleSigningKeys'),
  });
  return {
    keys: keys(),
    store: items(),
    signingKeys: cachedSigningKeys(secret),
    now: Date.now,
    newId: randomUUID,
    rate: rate && storedRate(items(), rate, Date.now, pause),
  };
}
