import { randomUUID } from 'node:crypto';
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedKeys } from '../../lib/credentials/key-directory.ts';
import { withSandboxKey } from '../../lib/credentials/sandbox.ts';
import { issueFirstPair, refreshPair } from '../../lib/credentials/token-pair.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import type { Write } from '../../lib/storage/port.ts';
import { authenticationWith } from '../lib/credentials/world.ts';
import { problemOf } from '../lib/upstream/world.ts';
import { createTable } from './table.ts';

const sdk = new DynamoDBClient();
const table = `segue-${randomUUID()}`;
const items = dynamoDbItems(table, dynamoDbClient({ now: Date.now }));

beforeAll(() => createTable(table));
afterAll(() => sdk.destroy());

async function put(sort: string, attributes: Record<string, AttributeValue>): Promise<void> {
  const key = { partition: { S: 'company/acme' }, sort: { S: sort } };
  await sdk.send(new PutItemCommand({ TableName: table, Item: { ...key, ...attributes } }));
}

test('an item is read with its version and its data', async () => {
  const data = { hash: 'abc', scopes: ['read'], empty: '', large: 2 ** 53 - 1, nothing: null };
  await put('key/1', { version: { N: '3' }, data: { S: JSON.stringify(data) } });
  expect(await items.read({ partition: 'company/acme', sort: 'key/1' })).toEqual({
    partition: 'company/acme',
    sort: 'key/1',
    version: 3,
    data,
  });
});

test('there is nothing under another key', async () => {
  expect(await items.read({ partition: 'company/acme', sort: 'key/none' })).toBeUndefined();
  expect(await items.read({ partition: 'company/other', sort: 'key/1' })).toBeUndefined();
});

test.each<[string, Record<string, AttributeValue>]>([
  ['no version', { data: { S: '{}' } }],
  ['a version that is none', { version: { N: '0' }, data: { S: '{}' } }],
  ['data that is no JSON', { version: { N: '1' }, data: { S: 'CANARY' } }],
  ['data of another type', { version: { N: '1' }, data: { M: {} } }],
])('an item with %s is unavailable', async (_, attributes) => {
  await put('key/broken', attributes);
  expect((await problemOf(items.read({ partition: 'company/acme', sort: 'key/broken' }))).name).toBe('unavailable');
});

const key = (sort: string) => ({ partition: 'company/acme', sort });
const data = { text: 'ä😀"', none: null, list: [[], {}, ''] };

test('a commit inserts, replaces, puts, removes and relies, and counts versions', async () => {
  const expiresAtMs = Date.UTC(2100, 0, 1) + 1;
  expect(await items.commit({ writes: [{ kind: 'insert', key: key('a'), data, expiresAtMs }] })).toEqual({ ok: true });
  expect(await items.read(key('a'))).toEqual({ ...key('a'), version: 1, data, expiresAtMs });
  const writes: Write[] = [
    { kind: 'replace', key: key('a'), version: 1, data: 'second' },
    { kind: 'put', key: key('b'), data: 'b' },
  ];
  expect(await items.commit({ writes })).toEqual({ ok: true });
  expect(await items.read(key('a'))).toEqual({ ...key('a'), version: 2, data: 'second' });
  const more: Write[] = [
    { kind: 'check', key: key('a'), version: 2 },
    { kind: 'put', key: key('b'), data: 'again' },
  ];
  expect(await items.commit({ writes: more })).toEqual({ ok: true });
  expect(await items.read(key('b'))).toMatchObject({ version: 2, data: 'again' });
  expect(await items.commit({ writes: [{ kind: 'remove', key: key('a'), version: 2 }] })).toEqual({ ok: true });
  expect(await items.read(key('a'))).toBeUndefined();
});

test.each<[string, Write]>([
  ['an insert over an item', { kind: 'insert', key: key('c'), data: 'other' }],
  ['a replacement of another version', { kind: 'replace', key: key('c'), version: 2, data: 'other' }],
  ['a replacement of nothing', { kind: 'replace', key: key('d'), version: 1, data: 'other' }],
  ['a removal of another version', { kind: 'remove', key: key('c'), version: 2 }],
  ['reliance on another version', { kind: 'check', key: key('c'), version: 2 }],
  ['reliance on nothing', { kind: 'check', key: key('d'), version: 1 }],
])('%s is refused with everything beside it', async (_, write) => {
  await items.commit({ writes: [{ kind: 'put', key: key('c'), data: 'c' }] });
  const { version = 0 } = (await items.read(key('c'))) ?? {};
  const wrong: Write = 'version' in write && write.key.sort === 'c' ? { ...write, version: version + 1 } : write;
  const writes: Write[] = [{ kind: 'put', key: key('e'), data: 'e' }, wrong];
  expect(await items.commit({ writes })).toEqual({ ok: false, refused: 1 });
  expect(await items.read(key('e'))).toBeUndefined();
  expect(await items.read(key('c'))).toMatchObject({ version, data: 'c' });
});

test('tokens of a family are refreshed once, in a table as in a store on one machine', async () => {
  const authentication = authenticationWith(withSandboxKey(SANDBOX, storedKeys(items), items), { store: items });
  const principal = await authentication.keys.verifyApiKey(SANDBOX.companyId, SANDBOX.apiKey);
  if (!principal) throw new Error('The fixed key is good');
  const { refreshToken } = await issueFirstPair(authentication, principal);
  const once = { key: 'k', leaseMs: 1_000, replayed: () => {} };
  const pair = await refreshPair(authentication, refreshToken, once);
  expect(await refreshPair(authentication, refreshToken, once)).toEqual(pair);
  await expect(refreshPair(authentication, refreshToken)).rejects.toMatchObject({ name: 'unauthenticated' });
  await expect(refreshPair(authentication, pair.refreshToken)).rejects.toMatchObject({ name: 'unauthenticated' });
});

const SANDBOX = { companyId: 'sandbox', apiKey: 'a-key-for-tests-only' };

test('a table that is not there is unavailable', async () => {
  const nowhere = dynamoDbItems(`segue-${randomUUID()}`, dynamoDbClient({ now: Date.now }));
  expect((await problemOf(nowhere.read({ partition: 'p', sort: 's' }))).name).toBe('unavailable');
});
