import { expect, it } from 'vitest';
import { AwsRefusal, type JsonClient } from '../../../lib/aws/json-client.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { eachTombstone } from '../../../lib/records/tombstones.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { storeWith } from '../../../test/faults/faulty.ts';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { callContext, checked, NOW_MS } from '../../../test/lib/support.ts';
import { HostedUpstream, World } from '../../../test/lib/upstream/world.ts';
import { MemoryStorage } from '../../../test/support/memory-storage.ts';
import { segment } from '../../../test/support/projects.ts';
import { segueHere } from '../../../test/support/segue.ts';
import { hosted } from '../../../test/support/world.ts';
import { formatRestored, missingIn } from '../restore/report.ts';
import { type Restored, type RestoredStack, type RestoreRequest, restore } from '../restore/restore.ts';
import { settle } from '../restore/tables.ts';

const COMPANY = 'acme';
const WHOLE = { kind: 'project' } as const;
const TABLES = { table: 'lost', credentialsTable: 'lost' };
const BOTH = { table: 'restored', credentialsTable: 'restored' };
const TASKS = { segments: [segment(), segment({ taskId: 'task' })] };

/** Returns a copy of a store, with the versions of its items. */
async function copyOf(store: MemoryStorage): Promise<MemoryStorage> {
  const copy = new MemoryStorage();
  for (const item of store.all()) {
    const { partition, sort, version: firstVersion, data, expiresAtMs } = item;
    const bytes = item.payload === undefined ? undefined : (await store.readWithPayload(item))?.bytes;
    const content = { key: { partition, sort }, data, ...(expiresAtMs !== undefined && { expiresAtMs }) };
    await copy.commit({ writes: [{ kind: 'insert', firstVersion, ...content, ...(bytes && { bytes }) }] });
  }
  return copy;
}

/** Answers calls about tables that have every setting, and no payload in a bucket. */
const tablesWith =
  (described: object = {}, missing: readonly string[] = []): JsonClient =>
  async (operation, request) => {
    const name = 'TableName' in request ? String(request.TableName) : '';
    if (missing.includes(name)) throw new AwsRefusal(400, { __type: 'ResourceNotFoundException' });
    if (operation === 'Scan') return { Items: [] };
    if (operation === 'DescribeTimeToLive') return { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED' } };
    if (operation === 'DescribeContinuousBackups') {
      const recovery = { PointInTimeRecoveryStatus: 'ENABLED', RecoveryPeriodInDays: 7 };
      return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription: recovery } };
    }
    const keys = [
      { AttributeName: 'partition', KeyType: 'HASH' },
      { AttributeName: 'sort', KeyType: 'RANGE' },
    ];
    const stream = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' };
    const settings = { StreamSpecification: stream, LatestStreamLabel: 'label', DeletionProtectionEnabled: true };
    return { Table: { TableStatus: 'ACTIVE', KeySchema: keys, ...settings, ...described } };
  };

interface Stores {
  readonly lost: MemoryStorage;
  readonly restored: Storage;
}

function stackOf(stores: Stores, options: Partial<RestoredStack> = {}): RestoredStack {
  const storeIn = (table: string) => (table === 'lost' ? stores.lost : stores.restored);
  let ids = 0;
  return {
    call: tablesWith(),
    tables: TABLES,
    storeIn,
    hosted: { storageIn: storeIn, async *objects() {} },
    addToUsagePlan: async () => [],
    now: () => NOW_MS,
    sleep: async () => {},
    newEventId: () => `event-${++ids}`,
    ...options,
  };
}

const REQUEST: RestoreRequest = { ...BOTH, isComplete: false, isDryRun: false, say: () => {} };

/** Returns a store with projects, a copy of it, and what was deleted after the copy. */
async function hostedLoss() {
  const lost = new MemoryStorage();
  const service = hosted({ storage: lost });
  const companies = companiesIn(lost, () => NOW_MS);
  const key = createApiKey();
  await companies.add(COMPANY, key);
  const create = async (fields = {}) => (await service.create(checked(fields), callContext())).id;
  const [kept, first, second, withoutTask] = [
    await create(),
    await create({ customId: 'first' }),
    await create(),
    await create(TASKS),
  ];
  const restored = await copyOf(lost);
  for (const id of [first, second]) await service.delete({ id }, WHOLE, callContext());
  await service.delete({ id: withoutTask }, { kind: 'task', taskId: 'task' }, callContext());
  await companies.revoke(key.keyId);
  return { lost, restored, kept, deleted: [first, second], withoutTask };
}

/** Returns what a restored store shows of the loss. */
async function stateOf(storage: Storage) {
  const service = hosted({ storage });
  const { projects } = await service.list({ limit: 100 }, callContext());
  const companies = await Array.fromAsync(companiesIn(storage, () => NOW_MS).list());
  return {
    projects: projects.map(({ id }) => id).sort(),
    tombstones: await Array.fromAsync(eachTombstone(storage, COMPANY), ({ item: { version: _, ...item } }) => item),
    keys: companies.flatMap(({ keys }) => keys.map(({ state }) => state)),
  };
}

it('can be killed after any commit, and run again', async () => {
  const whole = await hostedLoss();
  await restore(stackOf(whole), REQUEST);
  const expected = await stateOf(whole.restored);
  expect(expected.projects).toEqual([whole.kept, whole.withoutTask].sort());
  for (let commits = 0; ; commits++) {
    const loss = await hostedLoss();
    let left = commits;
    const dying = storeWith(loss.restored, {
      commit: async (batch) => {
        if (left-- <= 0) throw new Error('killed');
        return loss.restored.commit(batch);
      },
    });
    const isKilled = await restore(stackOf({ ...loss, restored: dying }), REQUEST).then(
      () => false,
      () => true,
    );
    await restore(stackOf(loss), REQUEST);
    expect(await stateOf(loss.restored)).toEqual(expected);
    if (!isKilled) break;
    expect(commits).toBeLessThan(50);
  }
});

it('keeps the tombstone of a later deletion under the same custom id', async () => {
  const loss = await hostedLoss();
  await restore(stackOf(loss), REQUEST);
  const service = hosted({ storage: loss.restored, now: () => NOW_MS + 1_000, random: () => 0.25 });
  const { id } = await service.create(checked({ customId: 'first' }), callContext());
  await service.delete({ id }, WHOLE, callContext());
  await restore(stackOf(loss), REQUEST);
  const tombstones = await Array.fromAsync(eachTombstone(loss.restored, COMPANY));
  expect(tombstones.filter(({ isUnderId }) => !isUnderId).map(({ projectId }) => projectId)).toEqual([id]);
});

it('removes projects from the ledger that the upstream service has deleted, without asking it', async () => {
  const world = new World();
  const upstream = new HostedUpstream(world);
  const front = upstream.segue();
  await companiesIn(world.storage, world.now).register('company');
  const create = async (key: string) => (await front.create(world.checked({ customId: key }), world.once(key))).id;
  const [kept, deleted] = [await create('kept'), await create('deleted')];
  world.settle();
  const restored = await copyOf(world.storage);
  await front.delete({ id: deleted }, WHOLE, world.once('delete'));
  world.settle();
  const { hosted: _, ...stack } = stackOf({ lost: world.storage, restored });
  const result = await restore({ ...stack, now: world.now }, REQUEST);
  expect(result.deletedAgain).toEqual([{ companyId: 'company', projectId: deleted }]);
  const ids = restored.sorts('company/company').filter((sort) => sort.startsWith('project/'));
  expect(ids.map((sort) => Number(sort.slice('project/'.length)))).toEqual([kept]);
  const tombstones = (store: MemoryStorage) =>
    Array.fromAsync(eachTombstone(store, 'company'), ({ item }) => item.data);
  expect(await tombstones(restored)).toEqual(await tombstones(world.storage));
});

it('refuses a table of so long ago that its first deletions are no longer known', async () => {
  const DAY_SECONDS = 86_400;
  const restoredDaysAgo = (days: number) =>
    tablesWith({ RestoreSummary: { RestoreDateTime: NOW_MS / 1_000 - days * DAY_SECONDS } });
  const loss = await hostedLoss();
  const after = (days: number) => restore(stackOf(loss, { call: restoredDaysAgo(days) }), REQUEST);
  await expect(after(31)).rejects.toThrow('restored is of more than 30 days ago');
  expect((await after(29)).tables.table?.restoredToUtc).toBe('2026-10-22T09:30:00.000Z');
});

it('restores one table alone, and leaves the other', async () => {
  const main = await hostedLoss();
  const { credentialsTable: _, ...request } = REQUEST;
  const result = await restore(stackOf(main), request);
  expect(result).toMatchObject({ revoked: [], deletedAgain: [{}, {}, {}] });
  expect((await stateOf(main.restored)).keys).toEqual(['active']);

  const keys = await hostedLoss();
  const { table: __, ...credentials } = REQUEST;
  expect(await restore(stackOf(keys), credentials)).toMatchObject({ revoked: [{}], deletedAgain: [] });
  expect((await stateOf(keys.restored)).projects).toHaveLength(4);
});

it('refuses a table with other keys, or whose stream has more than keys', async () => {
  const loss = await hostedLoss();
  const whole = { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } };
  for (const [described, message] of [
    [{ KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] }, 'is no table of Segue'],
    [whole, 'has more than keys: disable it first'],
  ] as const) {
    await expect(restore(stackOf(loss, { call: tablesWith(described) }), REQUEST)).rejects.toThrow(message);
  }
});

it('compares nothing but the bucket without a restored table', async () => {
  const loss = await hostedLoss();
  const { table: _, credentialsTable: __, ...request } = REQUEST;
  const result = await restore(stackOf(loss, { tables: { ...TABLES, ...BOTH } }), request);
  expect(result).toMatchObject({ tables: {}, deletedAgain: [], lostProjects: [], revoked: [], uncheckedKeys: [] });
});

it('formats every finding on a line, and counts what is missing', () => {
  const project = { companyId: COMPANY, projectId: 42 };
  const key = { companyId: COMPANY, keyId: 'abc' };
  const restored: Restored = {
    tables: {
      table: { name: 'restored', restoredToUtc: '2026-11-20T09:30:00.000Z', added: ['stream'], setting: 'r/stream/l' },
      credentialsTable: { name: 'keys', added: [], setting: 'keys' },
    },
    deletedAgain: [project, { ...project, taskId: 'task' }],
    revoked: [key],
    states: [{ companyId: COMPANY, state: 'suspended' }],
    limited: [{ ...key, expiresAtUtc: null, networks: ['203.0.113.0/24'] }],
    addedToUsagePlan: [COMPANY],
    uncheckedKeys: [key],
    lostKeys: [key],
    lostProjects: [project],
    withoutContent: [project, { ...project, projectId: 43 }],
    unreferenced: ['one'],
  };
  expect(formatRestored(restored, { isDryRun: false }).split('\n')).toEqual([
    'restored, as it was at 2026-11-20T09:30:00.000Z',
    'done  stream',
    'keys',
    'deleted again  acme  42',
    'deleted again  acme  42  task task',
    'revoked again  acme  abc',
    'limited again  acme  abc',
    'suspended again  acme',
    'added to the usage plan  acme',
    'check the key  acme  abc',
    'lost key  acme  abc',
    'lost project  acme  42',
    'no content  acme  42',
    'no content  acme  43',
    '1 object without an item: swept in 7 days',
    '"existingTable": "r/stream/l"',
    '"existingCredentialsTable": "keys"',
    '',
  ]);
  expect(missingIn(restored)).toBe('1 lost project, 2 projects without content, 1 lost key');
  expect(missingIn({ ...restored, lostKeys: [], lostProjects: [], withoutContent: [] })).toBeUndefined();
});

it('is for stacks only', async () => {
  const { code, stderr } = await segueHere(temporaryFolder(), 'restore');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('give --stack') });
});

it.each([
  [0, []],
  [1, ['point-in-time recovery']],
  [35, ['point-in-time recovery']],
] as const)('with %i days of recovery, a table without recovery gets %j', async (recoveryDays, added) => {
  const call: JsonClient = async (operation, request) =>
    operation === 'DescribeContinuousBackups'
      ? { ContinuousBackupsDescription: {} }
      : await tablesWith()(operation, request);
  const options = { call, sleep: async () => {}, recoveryDays, isDryRun: true };
  expect(await settle('table', 'restored', options)).toEqual({
    name: 'restored',
    added,
    setting: 'restored/stream/label',
  });
});
