import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Objects } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { client, table } from './aws-items.ts';
import { once } from './once.ts';

/** The table, with a bucket for what is too large for it. */
export const storage = once(() =>
  dynamoDbStorage({ table: table(), client: client(), objects: bucket, now: Date.now, newId: randomUUID }),
);

/** The bucket's client is loaded with the first large payload: few projects have one, and it would double a cold start. */
const objects = once(async (): Promise<Objects> => {
  const { SEGUE_BUCKET } = z.object({ SEGUE_BUCKET: z.string() }).parse(process.env);
  const { objectsIn, s3Client } = await import('../../lib/storage/dynamodb/objects.ts');
  return objectsIn(SEGUE_BUCKET, s3Client());
});

const bucket: Objects = {
  put: async (name, bytes) => (await objects()).put(name, bytes),
  get: async (name) => (await objects()).get(name),
  remove: async (name) => (await objects()).remove(name),
};
