import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { describeDailyProjects } from '../lib/records/daily-projects-suite.ts';
import { createStore } from './store.ts';

const client = dynamoDbClient({ now: Date.now });
const s3 = s3Client();
afterAll(() => s3.destroy());

describeDailyProjects('DynamoDB', async () => {
  const { table, bucket } = await createStore();
  return dynamoDbStorage({ table, client, objects: objectsIn(bucket, s3), now: Date.now, newId: randomUUID });
});
