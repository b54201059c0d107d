import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Authentication } from '../../lib/credentials/authentication.ts';
import { keysInTable } from '../../lib/credentials/keys.ts';
import { cachedSecret, type SecretReader } from '../../lib/credentials/secrets.ts';
import { secretInSecretsManager, secretsManagerClient } from '../../lib/credentials/secrets-manager.ts';
import { readSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';

/** AWS: keys in a DynamoDB table, secrets in Secrets Manager. Clients are made while the function starts. */
export function authentication(): Authentication {
  const { SEGUE_TABLE, SEGUE_SIGNING_SECRET } = z
    .object({ SEGUE_TABLE: z.string(), SEGUE_SIGNING_SECRET: z.string() })
    .parse(process.env);
  const reader = secretInSecretsManager(SEGUE_SIGNING_SECRET, secretsManagerClient());
  const signingKeys = cachedSecret(reader, readSigningKeys, { now: Date.now });
  const store = dynamoDbItems(SEGUE_TABLE, dynamoDbClient());
  return {
    keys: keysInTable(store),
    store,
    signingKeys: () => signingKeys.read(),
    now: Date.now,
    newId: randomUUID,
  };
}

/** Where the company id and API key at the service behind Segue are kept. */
export function upstreamSecret(): SecretReader {
  const { SEGUE_UPSTREAM_SECRET } = z.object({ SEGUE_UPSTREAM_SECRET: z.string() }).parse(process.env);
  return secretInSecretsManager(SEGUE_UPSTREAM_SECRET, secretsManagerClient());
}
