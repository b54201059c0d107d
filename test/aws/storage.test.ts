import { randomUUID } from 'node:crypto';
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { describeStorage } from '../lib/storage/storage-suite.ts';
import { problemOf } from '../lib/support.ts';
import { createStore } from './store.ts';
import { createTable } from './table.ts';

const client = dynamoDbClient({ now: Date.now });
const sdk = new DynamoDBClient();
const s3 = s3Client();
const { table: brokenItems, bucket } = await createStore();
afterAll(() => {
  for (const each of [sdk, s3]) each.destroy();
});

describeStorage('DynamoDB and S3', async () => {
  const table = `segue-${randomUUID()}`;
  await createTable(table);
  return dynamoDbStorage({ table, client, objects: objectsIn(bucket, s3), now: Date.now, newId: randomUUID });
});

it.each<[string, Record<string, AttributeValue>]>([
  ['no version', { data: { S: '{}' } }],
  ['an invalid version', { version: { N: '0' }, data: { S: '{}' } }],
  ['malformed JSON', { version: { N: '1' }, data: { S: 'CANARY' } }],
  ['data of another type', { version: { N: '1' }, data: { M: {} } }],
])('reports an item with %s as unavailable', async (_, attributes) => {
  const Item = { partition: { S: 'p' }, sort: { S: 's' }, ...attributes };
  await sdk.send(new PutItemCommand({ TableName: brokenItems, Item }));
  const problem = await problemOf(dynamoDbItems(brokenItems, client).read({ partition: 'p', sort: 's' }));
  expect(problem.name).toBe('unavailable');
});

it('reports a missing table as unavailable', async () => {
  const problem = await problemOf(dynamoDbItems('nowhere', client).read({ partition: 'p', sort: 's' }));
  expect(problem.name).toBe('unavailable');
});
