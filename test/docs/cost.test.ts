import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { eventPublisher } from '../../lib/background/event-publisher.ts';
import { checkProject } from '../../lib/contract/check.ts';
import { utc } from '../../lib/contract/date.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { hashApiKey } from '../../lib/credentials/api-key.ts';
import { keyGuard, storedKeys } from '../../lib/credentials/key-directory.ts';
import { type KeyRecord, writeKey } from '../../lib/credentials/key-record.ts';
import { outboxMover } from '../../lib/events/outbox-mover.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { pseudoEngine } from '../../lib/hosted/translation/engines/pseudo.ts';
import { translateSegments } from '../../lib/hosted/translation/translate-segments.ts';
import { jobWorker } from '../../lib/hosted/work/job-worker.ts';
import { WORK_PREFIX } from '../../lib/hosted/work/work-record.ts';
import { OUTBOX_PREFIX } from '../../lib/idempotency/outbox.ts';
import { companyIn, companyPartition } from '../../lib/idempotency/project-item.ts';
import type { CallContext, DeletionScope } from '../../lib/service/port.ts';
import type { Attributes, DynamoDb } from '../../lib/storage/dynamodb/client.ts';
import type { Objects } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { SWEEP_MARKERS } from '../../lib/storage/dynamodb/sweep-markers.ts';
import { sweepObject } from '../../lib/storage/dynamodb/sweeper.ts';
import type { Write } from '../../lib/storage/port.ts';
import { costPage, OPERATIONS, PROJECTS, type SizedProject, TRANSLATED } from '../../scripts/docs/cost.ts';
import { streamOf } from '../lib/background/stream.ts';
import { CLOCK, callContext, heldNow, NOW_MS } from '../lib/support.ts';
import { DynamoDbStandIn } from '../support/aws/dynamodb.ts';
import { asObjects, type JsonObject, REAL_PROJECTS, realProject, smallProject } from '../support/projects.ts';

const COMPANY = 'acme';
const KEY = 'k'.repeat(12);
/** Dates that are the same in every run, so that the stored bytes are the same. */
const DATES = { startDateUtc: utc(NOW_MS), endDateUtc: utc(NOW_MS + 30 * 86_400_000) };

const NOTHING = { writeUnits: 0, readUnits: 0, objectPuts: 0, objectGets: 0 };
let meter = { ...NOTHING };
function taken() {
  const capacity = meter;
  meter = { ...NOTHING };
  return capacity;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Returns the number of units by DynamoDB's rules. A missing item counts as one unit. */
const units = (bytes: number, unit: number) => Math.max(1, Math.ceil(bytes / unit));

/** Returns the bytes of an item: the names of its attributes in UTF-8, and their values. */
function sizeOf(item: Attributes = {}): number {
  const sizes = Object.entries(item).map(([name, { S, N, B }]) => {
    // A number takes one byte for two digits, and one more.
    const bytes = B !== undefined ? Buffer.byteLength(B, 'base64') : N && Math.ceil(N.length / 2) + 1;
    return Buffer.byteLength(name) + (bytes || Buffer.byteLength(S ?? ''));
  });
  return sum(sizes);
}

const Text = z.object({ S: z.string() });
const Key = z.looseObject({ partition: Text, sort: Text });
const Part = z.object({ Key: z.optional(Key), Item: z.optional(Key) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), Part)) });
const Value = z.object({ S: z.optional(z.string()), N: z.optional(z.string()), B: z.optional(z.string()) });
const Item = z.record(z.string(), Value);
const Found = z.object({
  Item: z.optional(Item),
  Items: z.optional(z.array(Item)),
  Responses: z.optional(z.record(z.string(), z.array(Item))),
});

const table = new DynamoDbStandIn();
/** The keys of the items in the table, as `partition sort`. */
const keys = new Set<string>();
const sortsIn = (partition: string) =>
  [...keys].flatMap((key) => (key.startsWith(`${partition} `) ? [key.slice(partition.length + 1)] : []));
const itemAt = async ({ partition, sort }: z.infer<typeof Key>) =>
  (await table.client.call('GetItem', { TableName: 'segue', Key: { partition, sort }, ConsistentRead: true })).Item;

const client: DynamoDb = {
  async call(operation, request) {
    if (operation !== 'TransactWriteItems') {
      const result = await table.client.call(operation, request);
      const { Item: item, Items, Responses } = Found.parse(result);
      // A query counts all its items as one read.
      const readBytes = Items
        ? [sum(Items.map(sizeOf))]
        : Object.values(Responses ?? { table: [item] })
            .flat()
            .map(sizeOf);
      meter.readUnits += sum(readBytes.map((bytes) => units(bytes, 4_096)));
      return result;
    }
    const parts = Transaction.parse(request).TransactItems.flatMap((item) => Object.values(item));
    const changed = parts.flatMap(({ Key: key, Item: item }) => key ?? item ?? []);
    const before = await Promise.all(changed.map(itemAt));
    const result = await table.client.call(operation, request);
    for (const [index, key] of changed.entries()) {
      const after = await itemAt(key);
      meter.writeUnits += 2 * units(Math.max(sizeOf(before[index]), sizeOf(after)), 1_024);
      keys[after ? 'add' : 'delete'](`${key.partition.S} ${key.sort.S}`);
    }
    return result;
  },
};

/** The objects in the bucket. A removal lists the object's versions twice. */
const bucket = new Map<string, Uint8Array>();
const objects: Objects = {
  async put(name, bytes) {
    meter.objectPuts++;
    bucket.set(name, bytes);
  },
  async get(name, range) {
    meter.objectGets++;
    return bucket.get(name)?.subarray(range?.from, range?.to);
  },
  async remove(name) {
    meter.objectPuts += 2;
    bucket.delete(name);
  },
};

/** The sizes of the project in the latest commit, in bytes. */
let stored = { recordBytes: 0, payloadBytes: 0, workBytes: 0 };
const note = (write: Write) => {
  if (write.key.sort.startsWith(WORK_PREFIX) && 'data' in write) stored.workBytes = JSON.stringify(write.data).length;
  if (!('bytes' in write) || !write.bytes) return;
  stored = { ...stored, recordBytes: JSON.stringify(write.data).length, payloadBytes: write.bytes.length };
};
const storage = dynamoDbStorage({ table: 'segue', client, objects, now: heldNow, newId: randomUUID });
const key: KeyRecord = {
  companyId: COMPANY,
  hash: hashApiKey(KEY),
  scopes: ['create', 'read', 'delete'],
  state: 'active',
  createdAtUtc: utc(NOW_MS),
};
await storage.commit({ writes: writeKey(KEY, undefined, key) });
const service = hostedService({
  storage: {
    ...storage,
    commit(batch) {
      batch.writes.forEach(note);
      return storage.commit(batch);
    },
  },
  now: heldNow,
  random: () => 0.5,
  newEventId: randomUUID,
  guard: keyGuard(() => storedKeys(storage)),
});
const move = outboxMover({ store: storage, now: heldNow, openDelivery: async () => {} });
const published = new Set<string>();
const publish = eventPublisher(
  {
    move: async (partition) => void (await move(companyIn(partition), { remainingMs: () => 1 })),
    read: (key) => storage.read(key),
    publish: async (events) => ({ taken: events.length }),
  },
  { now: heldNow, log: () => {} },
);

/** Does the work after an answer: moves and publishes events, and sweeps. */
async function workLater(): Promise<void> {
  for (const object of SWEEP_MARKERS.partitions.flatMap(sortsIn))
    await sweepObject({ table: 'segue', client, objects, now: heldNow }, object);
  const partition = companyPartition(COMPANY);
  for (const prefix of [OUTBOX_PREFIX, 'event/']) {
    const sorts = sortsIn(partition).filter((sort) => sort.startsWith(prefix) && !published.has(sort));
    for (const sort of sorts) published.add(sort);
    await publish(streamOf(sorts.map((sort) => ({ partition, sort }))), { awsRequestId: 'measured' });
  }
}

const call = (hasKey = false): CallContext => ({
  ...callContext(COMPANY),
  requestedBy: { kind: 'key', id: KEY },
  keyVersion: 1,
  requestId: randomUUID(),
  idempotency: hasKey ? { key: randomUUID(), replayed: () => {} } : undefined,
});

/** Measures each operation on a project, with the work after it. */
async function measure(makeBody: () => JsonObject) {
  let id = 0;
  const measured = async (work: () => Promise<unknown>) => {
    taken();
    await work();
    await workLater();
    return taken();
  };
  const create = (hasKey = false) =>
    measured(async () => {
      ({ id } = await service.create(checkProject({ ...makeBody(), ...DATES }, CLOCK), call(hasKey)));
    });
  const remove = (scope: DeletionScope, hasKey = false) => measured(() => service.delete({ id }, scope, call(hasKey)));
  // Without its smallest task, a project has nearly the same size.
  const tasks = Map.groupBy(asObjects(makeBody()['segments']), (segment) => segment['taskId']);
  const [taskId] = [...tasks.keys()]
    .filter((id) => typeof id === 'string')
    .toSorted((one, other) => (tasks.get(one)?.length ?? 0) - (tasks.get(other)?.length ?? 0));
  const project = { kind: 'project' } as const;
  const first = { create: await create(), read: await measured(() => service.get({ id }, undefined, call())) };
  const withTask = taskId !== undefined && { 'delete a task': await remove({ kind: 'task', taskId }) };
  const second = { 'create with a key': await create(true), delete: await remove(project) };
  await create();
  return { ...first, ...withTask, ...second, 'delete with a key': await remove(project, true) };
}

const computed = (project: SizedProject, measured: object) =>
  Object.fromEntries(
    Object.entries(OPERATIONS).flatMap(([name, capacityOf]) => (name in measured ? [[name, capacityOf(project)]] : [])),
  );

describe('docs/cost.md', () => {
  it.each([
    ['small', PROJECTS.small, () => smallProject()],
    ...REAL_PROJECTS.map((name) => [name, PROJECTS[name], () => realProject(name)] as const),
  ] as const)('computes the capacity for %s', async (_, project, makeBody) => {
    const measured = await measure(makeBody);
    const found = { ...stored, bodyBytes: Buffer.byteLength(JSON.stringify(makeBody())) };
    expect(measured).toEqual(computed({ ...project, ...found }, measured));
    // Builds of zlib compress a little differently.
    for (const size of ['recordBytes', 'payloadBytes', 'workBytes', 'bodyBytes'] as const) {
      expect(found[size] / project[size]).toBeCloseTo(1, 1);
    }
  });

  it('computes the capacity for a payload in the bucket', async () => {
    const content = () => randomBytes(500_000).toString('base64');
    const segments = () => [{ content: content(), taskId: 'one' }, { content: content() }];
    const measured = await measure(() => smallProject({ customId: randomUUID(), segments: segments() }));
    expect(measured).toEqual(
      computed({ title: 'object', bodyBytes: 0, hasCustomId: true, isAutomatic: false, ...stored }, measured),
    );
  });

  it('has the capacity for translating a large project', async () => {
    const [language] = asObjects(realProject('cldr-large')['targetLanguages']);
    const targetLanguages = [{ ...language, serviceAutomaticTranslation: true }];
    const segments = asObjects(realProject('cldr-large')['segments']);
    const body = { ...realProject('cldr-large'), ...DATES, customId: randomUUID(), segments, targetLanguages };
    const onFailure = vi.fn();
    const worker = jobWorker({
      storage,
      now: heldNow,
      sleep: async () => {},
      translate: (request) => translateSegments(pseudoEngine, request),
      newEventId: randomUUID,
      onFailure,
    });
    const work = async () => {
      await worker.workOnDue({ remainingMs: () => 600_000 });
      await workLater();
    };
    // The jobs of other projects come first.
    await work();
    const { id } = await service.create(checkProject(body, CLOCK), call());
    await workLater();
    taken();
    await work();
    const { segments: count, ...capacity } = TRANSLATED;
    expect(segments).toHaveLength(count);
    expect(onFailure).not.toHaveBeenCalled();
    const measured = taken();
    expect({ ...measured, writeUnits: capacity.writeUnits }).toEqual(capacity);
    // Builds of zlib compress a little differently.
    expect(measured.writeUnits / capacity.writeUnits).toBeCloseTo(1, 1);
    expect(await service.progress({ id }, undefined, call())).toMatchObject({ total: 100 });
  });

  it('has the read units of a list', async () => {
    const project = checkProject({ ...smallProject(), ...DATES }, CLOCK);
    const lister = { ...call(), companyId: 'lister' };
    for (let n = 0; n < 100; n++) await service.create(project, { ...lister, requestId: randomUUID() });
    taken();
    for (let after: number | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      after = (await service.list({ limit: LIMITS.listMax, after }, lister)).next;
    }
    expect(costPage()).toContain(`a list of 100 projects takes ${taken().readUnits} read units.`);
  });
});
