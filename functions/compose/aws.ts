import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Authentication } from '../../lib/credentials/authentication.ts';
import { keysInTable } from '../../lib/credentials/keys.ts';
import { cachedSecret, type SecretReader } from '../../lib/credentials/secrets.ts';
import { secretInSecretsManager, secretsManagerClient } from '../../lib/credentials/secrets-manager.ts';
import { readSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { items } from './aws-store.ts';
import { once } from './once.ts';

export { publish, signingSecret, sweep } from './aws-background.ts';
export { storage } from './aws-store.ts';

/** AWS: a DynamoDB table and a bucket, secrets in Secrets Manager. Clients are made while the function starts. */
export const keys = once(() => keysInTable(items()));

export function authentication(): Authentication {
  const { SEGUE_SIGNING_SECRET } = z.object({ SEGUE_SIGNING_SECRET: z.string() }).parse(process.env);
  const reader = secretInSecretsManager(SEGUE_SIGNING_SECRET, secretsManagerClient());
  const signingKeys = cachedSecret(reader, readSigningKeys, { now: Date.now });
  return {
    keys: keys(),
    store: items(),
    signingKeys: () => signingKeys.read(),
    now: Date.now,
    newId: randomUUID,
  };
}

/** What is done to projects is recorded, for the event bus. */
export const newEventId = randomUUID;

/** Where the company id and API key at the service behind Segue are kept. */
export function upstreamSecret(): SecretReader {
  const { SEGUE_UPSTREAM_SECRET } = z.object({ SEGUE_UPSTREAM_SECRET: z.string() }).parse(process.env);
  return secretInSecretsManager(SEGUE_UPSTREAM_SECRET, secretsManagerClient());
}
