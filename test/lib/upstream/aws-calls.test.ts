import { beforeEach, describe, expect, it } from 'vitest';
import { type KeyRecord, keyGuard, keyRecordKey, storedKeys } from '../../../lib/credentials/key-directory.ts';
import { type CallContext, operationIdOf } from '../../../lib/service/port.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { audit } from '../../../lib/upstream/audit.ts';
import { type UpstreamService, upstreamService } from '../../../lib/upstream/service.ts';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { type PlayedAccount, playAccount, silence } from './played-account.ts';
import { contentOf, problemOf, World } from './world.ts';

const world = new World(Date.now());
const call = world.call({ companyId: 'acme', requestedBy: { kind: 'key', id: 'k' }, keyVersion: 1 });
const withKey = (key: string): CallContext => ({ ...call, idempotency: { key, replayed: () => {} } });
const whole = { kind: 'project' } as const;
const KEY: KeyRecord = { hash: '', scopes: [], state: 'active', createdAtUtc: '2026-01-01T00:00:00.000Z' };

/** As the calls of this test are written. */
const SHORT: Readonly<Record<string, string>> = { GetItem: 'read', Query: 'list', TransactWriteItems: 'commit' };

let dynamoDb: DynamoDbStandIn;
let account: PlayedAccount;
let service: UpstreamService;
let storage: ListedStore;
const clock = { ms: 0 };

beforeEach(async () => {
  dynamoDb = new DynamoDbStandIn();
  account = playAccount({ now: Date.now });
  clock.ms = 0;
  let ids = 0;
  const { client, tableName: table } = dynamoDb;
  storage = dynamoDbItems(table, client);
  await storage.commit({ writes: [{ kind: 'insert', key: keyRecordKey('acme', 'k'), data: KEY }] });
  service = upstreamService({
    client: account.client,
    storage,
    now: () => Date.now() + clock.ms,
    sleep: async () => {},
    newId: () => String(++ids),
    newEventId: () => String(++ids),
    guard: keyGuard(storedKeys(storage)),
  });
});

/** What some work asks of the table and of the service, in its order: reads, lists and commits of the one, methods of the other. */
async function askedBy(work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  let counted = dynamoDb.calls.length;
  const take = () => {
    calls.push(...dynamoDb.calls.slice(counted).map((name) => SHORT[name] ?? name));
    counted = dynamoDb.calls.length;
  };
  const { before } = account;
  account.before = (exchange) => {
    take();
    calls.push(exchange.method);
    before(exchange);
  };
  await work();
  take();
  account.before = before;
  return calls;
}

const create = async (fields = {}, as = call) =>
  Number((await contentOf(await service.create(world.checked(fields), as)))['id']);

describe.each([
  ['with a custom id', { customId: 'ours' }],
  ['without a custom id', {}],
])('a creation %s', (_, fields) => {
  it('commits before it sends and after, and with a key it looks for an earlier request first', async () => {
    const once = ['commit', 'POST', 'commit'];
    expect(await askedBy(() => create(fields))).toEqual(once);
    account.projects.clear();
    expect(await askedBy(() => create({ ...fields, customId: 'other' }, withKey('a')))).toEqual(['read', ...once]);
  });

  it('is replayed by three reads, and one of the service', async () => {
    const project = world.checked(fields);
    await service.create(project, withKey('a'));
    expect(await askedBy(() => service.create(project, withKey('a')))).toEqual(['read', 'read', 'read', 'GET']);
  });

  it('whose answer is lost is looked for at once', async () => {
    account.after = ({ method }) => (method === 'POST' ? silence() : undefined);
    expect(await askedBy(() => create(fields))).toEqual(['commit', 'POST', 'GET', 'read', 'commit']);
  });
});

it('a project is read by one read of the table, by its custom id by two', async () => {
  const id = await create({ customId: 'ours' });
  expect(await askedBy(() => service.get({ id }, undefined, call))).toEqual(['read', 'GET']);
  expect(await askedBy(() => service.get({ customId: 'ours' }, undefined, call))).toEqual(['read', 'read', 'GET']);
});

it('a page of projects takes one call of the table and none of the service', async () => {
  for (let n = 0; n < 3; n++) await create();
  expect(await askedBy(() => service.list({ limit: 2 }, call))).toEqual(['list']);
});

it('a deletion reads before and after, and commits before it sends and after', async () => {
  // What is new is looked for three times before its absence is believed.
  const looks = ['GET', 'GET', 'GET'];
  const deletion = ['read', 'read', 'GET', 'commit', 'DELETE', ...looks, 'read', 'commit'];
  const id = await create({ customId: 'ours' });
  expect(await askedBy(() => service.delete({ id }, whole, call))).toEqual(deletion);
  const next = await create({ customId: 'ours' });
  // With a key for it the API key is looked at first: without that nobody is told of an earlier request.
  const withOne = () => service.delete({ id: next }, whole, withKey('d'));
  expect(await askedBy(withOne)).toEqual(['read', 'read', ...deletion]);
});

it('what became of an operation takes a read, and one that made a project the reading of it', async () => {
  await create({}, withKey('a'));
  expect(await askedBy(() => service.operation(operationIdOf('a'), call))).toEqual(['read', 'read', 'GET']);
});

it('a reconciliation with nothing open takes a list of each of its partitions', async () => {
  await create();
  expect(await askedBy(() => service.reconcile(() => true))).toEqual(Array.from({ length: 16 }, () => 'list'));
});

it('a reconciliation reads an open operation twice, and settles it by two commits', async () => {
  account.after = silence;
  await problemOf(create({}, { ...call, deadline: { remainingMs: () => 1_510 } }));
  account.after = () => {};
  clock.ms = 60_000;
  const calls = await askedBy(() => service.reconcile(() => true));
  expect(calls.filter((name) => name !== 'list')).toEqual(['read', 'read', 'commit', 'GET', 'read', 'commit']);
});

it('an audit takes a list of the service, of the companies’ projects and of what is open', async () => {
  await create();
  const options = { client: account.client, storage, customIdPrefix: 'segue', now: Date.now };
  const calls = await askedBy(() => audit(options, ['acme', 'beta'], { remainingMs: () => 1_000 }));
  expect(calls).toEqual(['GET', ...Array.from({ length: 2 + 16 }, () => 'list')]);
});
