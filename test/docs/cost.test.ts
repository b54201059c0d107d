import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventPublisher } from '../../lib/background/event-publisher.ts';
import { checkProject } from '../../lib/contract/check-project.ts';
import { utc } from '../../lib/contract/date.ts';
import { hashApiKey } from '../../lib/credentials/api-key.ts';
import { keyGuard, storedKeys } from '../../lib/credentials/key-directory.ts';
import { type KeyRecord, writeKey } from '../../lib/credentials/key-record.ts';
import { outboxMover } from '../../lib/events/feed-positions.ts';
import { contentReader } from '../../lib/hosted/translation/content-reader.ts';
import { pseudoEngine } from '../../lib/hosted/translation/engines/pseudo.ts';
import { translateSegments } from '../../lib/hosted/translation/translate-segments.ts';
import { jobWorker } from '../../lib/hosted/work/job-worker.ts';
import { WORK_PREFIX } from '../../lib/hosted/work/work-record.ts';
import { FEED_PREFIX } from '../../lib/records/feed-record.ts';
import { companyPartition } from '../../lib/records/keys.ts';
import { companyOfEvents, eventsPartition, OUTBOX_PREFIX } from '../../lib/records/outbox.ts';
import type { CallContext, DeletionScope } from '../../lib/service/port.ts';
import { MAX_IN_TABLE_BYTES } from '../../lib/storage/dynamodb/payload.ts';
import { SWEEP_MARKERS } from '../../lib/storage/dynamodb/sweep-markers.ts';
import { sweepObject } from '../../lib/storage/dynamodb/sweeper.ts';
import type { Write } from '../../lib/storage/port.ts';
import {
  companyWriteUnits,
  EVENT_WRITE_UNITS,
  OPERATIONS,
  PROJECTS,
  type SizedProject,
  TRANSLATED,
} from '../../tools/docs/cost.ts';
import { CREATED } from '../../tools/docs/load-costs.ts';
import { streamOf } from '../lib/background/stream.ts';
import { CLOCK, callContext, heldNow, NOW_MS } from '../lib/support.ts';
import { asObjects, type JsonObject, REAL_PROJECTS, realProject, smallProject } from '../support/projects.ts';
import { hosted } from '../support/world.ts';
import { MeteredStore } from './metered-store.ts';

const COMPANY = 'acme';
const KEY = 'k'.repeat(12);
/** Dates that are the same in every run, so that the stored bytes are the same. */
const DATES = { startDateUtc: utc(NOW_MS), endDateUtc: utc(NOW_MS + 30 * 86_400_000) };

const metered = new MeteredStore();
const { storage, client, objects } = metered;

const NOTHING = { recordBytes: 0, payloadBytes: 0, workBytes: 0 };
/** The sizes of the project in the latest commits, in bytes. */
let stored = { ...NOTHING };
const note = (write: Write) => {
  if (write.key.sort.startsWith(WORK_PREFIX) && 'data' in write) stored.workBytes = JSON.stringify(write.data).length;
  if (write.kind !== 'insert' || !write.bytes) return;
  stored = { ...stored, recordBytes: JSON.stringify(write.data).length, payloadBytes: write.bytes.length };
};
const key: KeyRecord = {
  companyId: COMPANY,
  hash: hashApiKey(KEY),
  scopes: ['create', 'read', 'delete'],
  state: 'active',
  createdAtUtc: utc(NOW_MS),
};
await storage.commit({ writes: writeKey(KEY, undefined, key) });
const service = hosted({
  storage: {
    ...storage,
    commit(batch) {
      batch.writes.forEach(note);
      return storage.commit(batch);
    },
  },
  guard: keyGuard(() => storedKeys(storage), heldNow),
});
const move = outboxMover({ store: storage, now: heldNow, openDelivery: async () => {} });
const published = new Set<string>();
const publish = eventPublisher(
  {
    move: (partition) => move(companyOfEvents(partition), { remainingMs: () => 1 }),
    read: (key) => storage.read(key),
    publish: async (events) => ({ taken: events.length }),
  },
  { now: heldNow, log: () => {} },
);

/** Does the work after an answer: moves and publishes events, and sweeps. */
async function workLater(): Promise<void> {
  for (const object of SWEEP_MARKERS.partitions.flatMap((partition) => metered.sortsIn(partition)))
    await sweepObject({ table: 'segue', client, objects, now: heldNow }, object);
  const partition = eventsPartition(COMPANY);
  for (const prefix of [OUTBOX_PREFIX, FEED_PREFIX]) {
    const sorts = metered.sortsIn(partition).filter((sort) => sort.startsWith(prefix) && !published.has(sort));
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
  stored = { ...NOTHING };
  let id = 0;
  let createdUnits = { company: 0, events: 0 };
  const measured = async (work: () => Promise<unknown>) => {
    metered.taken();
    await work();
    await workLater();
    return metered.taken();
  };
  const create = (hasKey = false) =>
    measured(async () => {
      ({ id } = await service.create(checkProject({ ...makeBody(), ...DATES }, CLOCK), call(hasKey)));
      await workLater();
      const unitsIn = (partition: string) => metered.writeUnitsIn.get(partition) ?? 0;
      createdUnits = { company: unitsIn(companyPartition(COMPANY)), events: unitsIn(eventsPartition(COMPANY)) };
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
  const withKey = await create(true);
  const createdWithKey = createdUnits;
  const second = { 'create with a key': withKey, delete: await remove(project) };
  await create();
  const third = { 'delete with a key': await remove(project, true) };
  return { measured: { ...first, ...withTask, ...second, ...third }, createdWithKey };
}

const computed = (project: SizedProject, measured: object) =>
  Object.fromEntries(
    Object.entries(OPERATIONS).flatMap(([name, capacityOf]) => (name in measured ? [[name, capacityOf(project)]] : [])),
  );

/** Returns a project with the first segments of `cldr-large`. */
function beginning(count: number): JsonObject {
  const whole = realProject('cldr-large');
  return { ...whole, segments: asObjects(whole['segments']).slice(0, count) };
}

describe('docs/cost.md', () => {
  // The first test, because the worker would also do the jobs of other projects.
  it('has the capacity for translating a large project', async () => {
    const [language] = asObjects(realProject('cldr-large')['targetLanguages']);
    const targetLanguages = [{ ...language, serviceAutomaticTranslation: true }];
    const segments = asObjects(realProject('cldr-large')['segments']);
    const body = { ...realProject('cldr-large'), ...DATES, customId: randomUUID(), segments, targetLanguages };
    const failures: unknown[] = [];
    const worker = jobWorker({
      storage,
      now: heldNow,
      sleep: async () => {},
      translate: (request) => translateSegments(pseudoEngine, contentReader(), request),
      newEventId: randomUUID,
      // Looks for due jobs depend on how fast this machine is.
      pause: () => new Promise(() => {}),
      onAttempt: (_, { error }) => void (error !== undefined && failures.push(error)),
    });
    const work = async () => {
      await worker.workOnDue({ remainingMs: () => 600_000 });
      await workLater();
    };
    const { id } = await service.create(checkProject(body, CLOCK), call());
    await workLater();
    metered.taken();
    await work();
    const { segments: count, ...capacity } = TRANSLATED;
    expect(segments).toHaveLength(count);
    expect(failures).toEqual([]);
    const measured = metered.taken();
    expect({ ...measured, writeUnits: capacity.writeUnits }).toEqual(capacity);
    // Builds of zlib compress a little differently.
    expect(measured.writeUnits / capacity.writeUnits).toBeCloseTo(1, 1);
    expect(await service.progress({ id }, undefined, call())).toMatchObject({ total: 100 });
  });

  it.each([
    ['small', PROJECTS.small, () => smallProject()],
    ...REAL_PROJECTS.map((name) => [name, PROJECTS[name], () => realProject(name)] as const),
    ...([1, 50, 2_000] as const).map((count) => [`${count} segments`, CREATED[count], () => beginning(count)] as const),
  ] as const)('computes the capacity for %s', async (_, project, makeBody) => {
    const { measured, createdWithKey } = await measure(makeBody);
    const found = { ...stored, bodyBytes: Buffer.byteLength(JSON.stringify(makeBody())) };
    expect(createdWithKey).toEqual({
      company: companyWriteUnits({ ...project, ...found }),
      events: EVENT_WRITE_UNITS,
    });
    expect(measured).toEqual(computed({ ...project, ...found }, measured));
    // Without the deletion of a task, a small project gets no record of the work.
    const sizes = [
      'recordBytes',
      'payloadBytes',
      'bodyBytes',
      ...(found.workBytes > 0 ? (['workBytes'] as const) : []),
    ] as const;
    // Builds of zlib compress a little differently.
    for (const size of sizes) {
      expect(found[size] / project[size]).toBeCloseTo(1, 1);
    }
  });

  it('computes the capacity for a payload in the bucket', async () => {
    const content = () => randomBytes(500_000).toString('base64');
    const segments = () => [{ content: content(), taskId: 'one' }, { content: content() }];
    const { measured } = await measure(() => smallProject({ customId: randomUUID(), segments: segments() }));
    expect(measured).toEqual(
      computed({ title: 'object', bodyBytes: 1e6 + 1, hasCustomId: true, isAutomatic: false, ...stored }, measured),
    );
  });

  it('counts each payload above the limit of the table as an object', () => {
    expect(metered.largestPayload).toBeGreaterThan(MAX_IN_TABLE_BYTES / 4);
    expect(metered.largestPayload).toBeLessThanOrEqual(MAX_IN_TABLE_BYTES);
  });
});
