import { randomUUID } from 'node:crypto';
import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamoDbClient, dynamoDbReader } from '../../lib/storage/dynamodb/reader.ts';
import { problemOf } from '../upstream/world.ts';
import { createTable } from './table.ts';

const client = dynamoDbClient();
const table = `segue-${randomUUID()}`;
const reader = dynamoDbReader(table, client);

beforeAll(() => createTable(table, client));
afterAll(() => client.destroy());

async function put(sort: string, attributes: Record<string, AttributeValue>): Promise<void> {
  const key = { partition: { S: 'company/acme' }, sort: { S: sort } };
  await client.send(new PutItemCommand({ TableName: table, Item: { ...key, ...attributes } }));
}

test('an item is read with its version and its data', async () => {
  const data = { hash: 'abc', scopes: ['read'], empty: '', large: 2 ** 53 - 1, nothing: null };
  await put('key/1', { version: { N: '3' }, data: { S: JSON.stringify(data) } });
  expect(await reader.read({ partition: 'company/acme', sort: 'key/1' })).toEqual({
    partition: 'company/acme',
    sort: 'key/1',
    version: 3,
    data,
  });
});

test('there is nothing under another key', async () => {
  expect(await reader.read({ partition: 'company/acme', sort: 'key/none' })).toBeUndefined();
  expect(await reader.read({ partition: 'company/other', sort: 'key/1' })).toBeUndefined();
});

test.each<[string, Record<string, AttributeValue>]>([
  ['no version', { data: { S: '{}' } }],
  ['a version that is none', { version: { N: '0' }, data: { S: '{}' } }],
  ['data that is no JSON', { version: { N: '1' }, data: { S: 'CANARY' } }],
  ['data of another type', { version: { N: '1' }, data: { M: {} } }],
])('an item with %s is unavailable', async (_, attributes) => {
  await put('key/broken', attributes);
  expect((await problemOf(reader.read({ partition: 'company/acme', sort: 'key/broken' }))).name).toBe('unavailable');
});

test('a table that is not there is unavailable', async () => {
  const nowhere = dynamoDbReader(`segue-${randomUUID()}`, client);
  expect((await problemOf(nowhere.read({ partition: 'p', sort: 's' }))).name).toBe('unavailable');
});
