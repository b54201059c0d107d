import { randomUUID } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { dynamoDbItems } from '../../../../lib/storage/dynamodb/items.ts';
import { MAX_IN_TABLE_BYTES } from '../../../../lib/storage/dynamodb/payload.ts';
import { dynamoDbStorage } from '../../../../lib/storage/dynamodb/storage.ts';
import { type Key, MAX_INSIDE_BYTES, type Storage, type Write } from '../../../../lib/storage/port.ts';
import { DynamoDbStandIn, type Operation } from '../../../support/aws/dynamodb.ts';
import { broken, cancelled, type Fault, failed, refused, torn, unprocessed } from '../../../support/aws/faults.ts';
import { S3StandIn } from '../../../support/aws/s3.ts';
import { problemOf } from '../../support.ts';

const KEY = { partition: 'company/acme', sort: 'project/1' };
const NOW_MS = Date.UTC(2026, 10, 20);
/** Makes a payload outside its item. */
const bytes = (text: string) => Buffer.from(text.padEnd(MAX_INSIDE_BYTES + 1));
const insert: Write = { kind: 'insert', key: KEY, data: 'first', bytes: bytes('first') };
const put: Write = { kind: 'put', key: { ...KEY, sort: 'tombstone' }, data: {} };

let dynamoDb: DynamoDbStandIn;
let s3: S3StandIn;
let storage: Storage;

beforeEach(() => {
  dynamoDb = new DynamoDbStandIn();
  s3 = new S3StandIn();
  const { client, tableName: table } = dynamoDb;
  storage = dynamoDbStorage({ table, client, objects: s3.objects, now: () => NOW_MS, newId: randomUUID });
});

const calls = (operation: Operation) => dynamoDb.calls.filter((name) => name === operation).length;
const times = (count: number, fault: Fault) => Array.from({ length: count }, () => fault);

/** Returns a key in the form of the SDK. */
const sdkKey = ({ partition, sort }: Key) => ({ partition: { S: partition }, sort: { S: sort } });

/** Returns the item with its payload as text. */
async function whole() {
  const read = await storage.readWithPayload(KEY);
  return (
    read && { version: read.item.version, data: read.item.data, text: Buffer.from(read.bytes).toString().trimEnd() }
  );
}

/** Replaces the item, whatever its version. */
async function replace(text: string): Promise<void> {
  const { version = 0, payload } = (await storage.read(KEY)) ?? {};
  const write: Write = { kind: 'replace', key: KEY, version, data: text, bytes: bytes(text), drops: payload };
  expect(await storage.commit({ writes: [write] })).toEqual({ ok: true });
}

async function remove(): Promise<void> {
  const { version = 0, payload } = (await storage.read(KEY)) ?? {};
  expect(await storage.commit({ writes: [{ kind: 'remove', key: KEY, version, drops: payload }] })).toEqual({
    ok: true,
  });
}

describe('a commit', () => {
  const commit = () => storage.commit({ writes: [insert, put] });
  const isDone = async () => (await storage.read(KEY)) !== undefined;

  it.each<[string, readonly Fault[]]>([
    ['conflicts', times(5, cancelled('None', 'TransactionConflict'))],
    ['throttling in a transaction', times(9, cancelled('ThrottlingError', 'None'))],
    ['a table at its limit in a transaction', times(2, cancelled('ProvisionedThroughputExceeded', 'None'))],
    ['throttling', times(9, refused('ThrottlingException'))],
    ['a table at its limit', times(2, refused('ProvisionedThroughputExceededException'))],
    ['an account at its limit', times(2, refused('RequestLimitExceeded'))],
    ['errors with nothing done', times(2, failed('before'))],
    ['errors with everything done', times(2, failed('after'))],
    ['lost requests', times(2, broken('before'))],
    ['lost answers', times(2, broken('after'))],
    ['a lost answer, and a transaction that still runs', [broken('after'), refused('TransactionInProgressException')]],
    ['a lost request, and a conflict', [broken('before'), cancelled('None', 'TransactionConflict')]],
    ['no connection', times(2, broken('before', { code: 'ECONNREFUSED' }))],
  ])('is made once after %s', async (_, faults) => {
    dynamoDb.plan('TransactWriteItems', ...faults);
    expect(await commit()).toEqual({ ok: true });
    expect(calls('TransactWriteItems')).toBe(faults.length + 1);
    expect(await whole()).toEqual({ version: 1, data: 'first', text: 'first' });
    expect(await storage.read(put.key)).toMatchObject({ version: 1 });
  });

  it.each<[string, readonly Fault[]]>([
    ['6 conflicts', times(6, cancelled('None', 'TransactionConflict'))],
    ['throttling 10 times', times(10, refused('ThrottlingException'))],
    ['throttling in a transaction 10 times', times(10, cancelled('ThrottlingError', 'None'))],
    ['no connection 3 times', times(3, broken('before', { code: 'ECONNREFUSED' }))],
    ['an unknown host', times(3, broken('before', { code: 'ENOTFOUND' }))],
    ['missing credentials', times(3, broken('before', { name: 'NeverSent' }))],
    ['a missing permission', [refused('AccessDeniedException')]],
    ['a token of another transaction', [refused('IdempotentParameterMismatchException')]],
    ['an item that is too large', [cancelled('ValidationError', 'None')]],
  ])('is unavailable and not made after %s', async (_, faults) => {
    dynamoDb.plan('TransactWriteItems', ...faults);
    const problem = await problemOf(commit);
    expect(problem).toMatchObject({ name: 'unavailable', cause: expect.any(Error) });
    expect(problem.occurrence.retryAfterSeconds).toBeGreaterThan(0);
    expect(calls('TransactWriteItems')).toBe(faults.length);
    expect(await isDone()).toBe(false);
  });

  it.each<[string, boolean, readonly Fault[]]>([
    ['3 errors with nothing done', false, times(3, failed('before'))],
    ['3 errors with everything done', true, times(3, failed('after'))],
    ['3 lost requests', false, times(3, broken('before'))],
    ['3 lost answers', true, times(3, broken('after'))],
    ['one that still runs', true, [broken('after'), ...times(2, refused('TransactionInProgressException'))]],
    ['one, and throttling', true, [broken('after'), ...times(10, refused('ThrottlingException'))]],
    ['one, and a missing permission', true, [broken('after'), refused('AccessDeniedException')]],
    ['one, and no connection', true, [broken('after'), ...times(2, broken('before', { code: 'ECONNREFUSED' }))]],
  ])('has an unknown outcome after lost answers: %s', async (_, done, faults) => {
    dynamoDb.plan('TransactWriteItems', ...faults);
    expect(await problemOf(commit)).toMatchObject({ name: 'outcome-unknown', cause: expect.any(Error) });
    expect(calls('TransactWriteItems')).toBe(faults.length);
    expect(await isDone()).toBe(done);
  });

  it('is not retried after its deadline', async () => {
    const remaining = [200, 100, 0];
    dynamoDb.plan('TransactWriteItems', ...times(9, refused('ThrottlingException')));
    const deadline = { remainingMs: () => remaining.shift() ?? 0 };
    expect((await problemOf(() => storage.commit({ writes: [insert, put], deadline }))).name).toBe('unavailable');
    expect(calls('TransactWriteItems')).toBe(3);
  });

  it('is refused after a lost answer too', async () => {
    await storage.commit({ writes: [insert] });
    dynamoDb.plan('TransactWriteItems', broken('before'));
    expect(await storage.commit({ writes: [put, insert] })).toEqual({ ok: false, refused: 1 });
  });
});

const LIST = { prefix: '', limit: 9, maxBytes: 1_000 };

describe.each<[Operation, () => Promise<unknown>]>([
  ['GetItem', async () => (await storage.read(KEY))?.data],
  ['BatchGetItem', async () => (await storage.readWithPayload(KEY))?.item.data],
  ['Query', async () => (await storage.list(KEY.partition, LIST)).items[0]?.data],
])('%s', (operation, read) => {
  beforeEach(async () => void (await storage.commit({ writes: [insert] })));

  it.each<[string, Fault]>([
    ['an error', failed('before')],
    ['a broken connection', broken('before')],
    ['throttling', refused('ThrottlingException')],
    ['a table at its limit', refused('ProvisionedThroughputExceededException')],
  ])('is repeated once after %s', async (_, fault) => {
    dynamoDb.plan(operation, fault);
    expect(await read()).toBe('first');
    dynamoDb.plan(operation, fault, fault);
    expect(await problemOf(read)).toMatchObject({ name: 'unavailable', cause: expect.any(Error) });
    expect(await read()).toBe('first');
  });

  it('is unavailable at once without permission', async () => {
    dynamoDb.plan(operation, refused('AccessDeniedException'));
    expect((await problemOf(read)).name).toBe('unavailable');
    expect(calls(operation)).toBe(1);
  });
});

describe('a payload', () => {
  beforeEach(async () => void (await storage.commit({ writes: [insert] })));

  it('is read by more calls if DynamoDB leaves keys unread', async () => {
    dynamoDb.plan('BatchGetItem', unprocessed);
    expect(await whole()).toEqual({ version: 1, data: 'first', text: 'first' });
    expect(calls('BatchGetItem')).toBe(2);
  });

  it('is unavailable if DynamoDB keeps leaving keys unread', async () => {
    const none: Fault = (request) => ({ Responses: {}, UnprocessedKeys: Object(request).RequestItems });
    dynamoDb.plan('BatchGetItem', ...times(8, none));
    expect((await problemOf(() => storage.readWithPayload(KEY))).name).toBe('unavailable');
    expect(await whole()).toMatchObject({ text: 'first' });
  });

  it('is that of its item if changes come between the reads of both', async () => {
    const changed = (text: string) => torn(() => replace(text));
    dynamoDb.plan('BatchGetItem', changed('second'), changed('third'));
    expect(await whole()).toEqual({ version: 3, data: 'third', text: 'third' });
  });

  it('is absent if its deletion comes between the reads of both', async () => {
    dynamoDb.plan('BatchGetItem', torn(remove));
    expect(await storage.readWithPayload(KEY)).toBeUndefined();
  });
});

it('writes the expiry in seconds, by which a table removes items', async () => {
  const { tableName: TableName } = dynamoDb;
  const client = dynamoDb.newSdkClient();
  const expiresAt = async () => {
    const get = new GetItemCommand({ TableName, Key: sdkKey(KEY), ConsistentRead: true });
    return (await client.send(get)).Item?.['expiresAt'];
  };
  await storage.commit({ writes: [{ kind: 'insert', key: KEY, data: {}, expiresAtMs: NOW_MS + 1 }] });
  expect(await expiresAt()).toEqual({ N: String(NOW_MS / 1_000 + 1) });
  await storage.commit({ writes: [{ kind: 'replace', key: KEY, version: 1, data: {} }] });
  expect(await expiresAt()).toBeUndefined();
});

describe('a payload that is too large for the table', () => {
  const large = bytes('x'.repeat(MAX_IN_TABLE_BYTES + 1));
  const commit = () => storage.commit({ writes: [{ ...insert, bytes: large }] });
  const read = async () => (await storage.readWithPayload(KEY))?.bytes.length;

  it.each<[string, readonly ('before' | 'after')[]]>([
    ['request', ['before']],
    ['answer', ['after']],
  ])('is put once after a lost %s', async (_, breaks) => {
    s3.break(...breaks);
    expect(await commit()).toEqual({ ok: true });
    expect(s3.versions).toHaveLength(1);
    s3.break('before');
    expect(await read()).toBe(large.length);
  });

  it('is not committed if it cannot be put, and unavailable if it cannot be read', async () => {
    s3.break('after', 'before');
    expect((await problemOf(commit)).name).toBe('unavailable');
    expect(await storage.read(KEY)).toBeUndefined();
    await commit();
    s3.break('before', 'before');
    expect((await problemOf(read)).name).toBe('unavailable');
    expect(await read()).toBe(large.length);
  });
});

it('reports each failure of DynamoDB itself, also if a retry succeeds, and no refusal of a request', async () => {
  const reported: string[] = [];
  const client = dynamoDb.newClient(({ message }) => void reported.push(message));
  const items = dynamoDbItems(dynamoDb.tableName, client);
  dynamoDb.plan('GetItem', failed('before'));
  dynamoDb.plan('TransactWriteItems', failed('after'), cancelled('None', 'TransactionConflict'));
  expect(await items.read(KEY)).toBeUndefined();
  expect(await items.commit({ writes: [put] })).toEqual({ ok: true });
  dynamoDb.plan('GetItem', refused('AccessDeniedException'));
  await expect(items.read(KEY)).rejects.toThrow();
  expect(reported).toEqual(Array(2).fill(expect.stringMatching(/^AWS answered with the error /)));
});
