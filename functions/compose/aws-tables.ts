import { randomUUID } from 'node:crypto';
import { endpointOf } from '#aws-endpoint';
import { lazy } from '../../lib/contract/lazy.ts';
import { logTableFailure } from '../../lib/service/log.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import type { Objects } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { required } from './environment.ts';

// The tables and the bucket of a stack. `npm start` can use them too, without the rest of the platform on AWS.
// Every export is marked pure, so that bundles leave out unused ones.

export const client = /* @__PURE__ */ lazy(() =>
  dynamoDbClient({ endpointOf, now: Date.now, onFailure: logTableFailure }),
);

/**
 * The tables of a store. A function that checks no credentials has no `SEGUE_CREDENTIALS_TABLE`, and needs only its main
 * table.
 */
const tables = /* @__PURE__ */ lazy(() => {
  const main = required('SEGUE_TABLE');
  return { main, credentials: process.env['SEGUE_CREDENTIALS_TABLE'] || main };
});

/**
 * The items in the table that `SEGUE_TABLE` names. A commit may also check credentials. Only `storage` also reads and
 * writes the items' payloads.
 */
export const items = /* @__PURE__ */ lazy(() => dynamoDbItems(tables(), client()));

/** The companies with their API keys and the state of their tokens, in the table that `SEGUE_CREDENTIALS_TABLE` names. */
export const credentials = /* @__PURE__ */ lazy(() => dynamoDbItems(required('SEGUE_CREDENTIALS_TABLE'), client()));

/** The items of the upstream ledger, and the heartbeats, in the table that `SEGUE_TABLE` names. */
export const ledger = items;

/** The items in the table of webhook deliveries, and of events to send. */
export const deliveries = /* @__PURE__ */ lazy(() => dynamoDbItems(required('SEGUE_DELIVERIES_TABLE'), client()));

/** The storage of projects: the table that `SEGUE_TABLE` names, and a bucket for large payloads. */
export const storage = /* @__PURE__ */ lazy(() =>
  dynamoDbStorage({
    table: tables().main,
    credentialsTable: tables().credentials,
    client: client(),
    objects: {
      put: async (name, bytes) => (await objects()).put(name, bytes),
      get: async (name, range) => (await objects()).get(name, range),
      remove: async (name) => (await objects()).remove(name),
    },
    now: Date.now,
    newId: randomUUID,
  }),
);

/**
 * The bucket of large payloads. The first use loads the S3 client. Loading it at the start would double a cold start,
 * and few projects need it.
 */
const objects = /* @__PURE__ */ lazy(async (): Promise<Objects> => {
  const s3 = await import('../../lib/storage/dynamodb/objects.ts');
  return s3.objectsIn(required('SEGUE_BUCKET'), s3.s3Client());
});
