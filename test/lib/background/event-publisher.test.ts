import { describe, expect, it } from 'vitest';
import { type Events, eventPublisher } from '../../../lib/background/event-publisher.ts';
import type { DomainEvent } from '../../../lib/contract/event.ts';
import { JOBS, type JobRef } from '../../../lib/deliveries/jobs.ts';
import { BATCHES_IN_TURN, outboxMover } from '../../../lib/events/feed-positions.ts';
import { FEED_PREFIX, feedSort, positionIn } from '../../../lib/records/feed-record.ts';
import { companyOfEvents } from '../../../lib/records/outbox.ts';
import type { Key } from '../../../lib/storage/port.ts';
import { hosted } from '../../support/world.ts';
import { ENOUGH, FeedWorld } from '../events/world.ts';
import { keptLog } from '../http/fixture.ts';
import { openSqlite } from '../storage/folder.ts';
import { callContext, checked, heldNow, NOW_MS } from '../support.ts';
import { againFrom, DONE, streamOf } from './stream.ts';

const LINE = { operation: 'publishEvents', requestId: 'invocation-1', durationMs: 0 };
const TRACED = { ...callContext(), traceId: '4bf92f3577b34da6a3ce929d0e0e4736' };
const ALL = { prefix: FEED_PREFIX, limit: 1_000, maxBytes: 10_000_000 } as const;

/**
 * Records the events of creates, and moves them out of the outbox.
 * @returns their keys in order
 */
async function recorded(count: number) {
  const store = openSqlite(heldNow);
  let ids = 0;
  const service = hosted({ storage: store, newEventId: () => String(++ids).padStart(3, '0') });
  for (let n = 0; n < count; n++) await service.create(checked({ customId: `project-${n}` }), TRACED);
  const move = outboxMover({ store, now: heldNow, openDelivery: async () => {} });
  await move('acme', { remainingMs: () => 1_000 });
  const { items } = await store.list('company/acme/events', ALL);
  const keys: Key[] = items.map(({ partition, sort }) => ({ partition, sort }));
  return { store, keys };
}

/** Returns a bus whose first batches have these results. */
function bus(
  store: Pick<Events, 'read'>,
  ...failures: readonly (Awaited<ReturnType<NonNullable<Events['publish']>>> | Error)[]
) {
  const put: DomainEvent[] = [];
  const moved: string[] = [];
  let calls = 0;
  const events: Events = {
    move: async (partition) => {
      moved.push(partition);
      return 'all';
    },
    read: (key) => store.read(key),
    async publish(batch) {
      const failure = failures[calls++];
      if (failure instanceof Error) throw failure;
      put.push(...batch);
      return failure ?? { taken: batch.length };
    },
  };
  return { events, put, moved };
}

/**
 * Runs the publisher.
 * @returns its answer, and the log line of the run, which follows a line for each published event
 */
async function run(events: Events, event: unknown) {
  const { lines, options } = keptLog();
  const answer = await eventPublisher(events, options)(event, { awsRequestId: 'invocation-1' }).catch(
    (error: unknown) => ({ error }),
  );
  const published = lines.slice(0, -1);
  expect(published.every(({ operation }) => operation === 'published')).toBe(true);
  return { answer, line: lines.at(-1) };
}

const sorts = (events: readonly DomainEvent[]) => events.map(({ id }) => feedSort(positionIn(id) ?? 0));

describe('the publisher of events', () => {
  it('logs the request and the trace of each event that it published, and of no other', async () => {
    const { store, keys } = await recorded(3);
    const { events } = bus(store, { taken: 2, failure: new Error('No.') });
    const { lines, options } = keptLog();
    await eventPublisher(events, options)(streamOf(keys), { awsRequestId: 'invocation-1' });
    const { requestId, traceId } = TRACED;
    const line = { operation: 'published', requestId, traceId, companyId: 'acme', durationMs: 0 };
    expect(lines.slice(0, -1)).toEqual([line, line]);
  });

  it('publishes each recorded event in order, under the id of its record', async () => {
    const { store, keys } = await recorded(25);
    const { events, put } = bus(store);
    expect(await run(events, streamOf(keys))).toEqual({ answer: DONE, line: { ...LINE, left: 0 } });
    expect(sorts(put)).toEqual(keys.map(({ sort }) => sort));
    expect(put[0]).toEqual({
      id: '001-1',
      type: 'project.created',
      companyId: 'acme',
      projectId: expect.any(Number),
      traceId: TRACED.traceId,
      requestId: 'test-request',
      atUtc: new Date(NOW_MS).toISOString(),
      sequence: 1,
      data: { projectId: expect.any(Number) },
    });
  });

  it('skips changed and removed items, and deleted records', async () => {
    const { store, keys } = await recorded(3);
    const { events, put } = bus(store);
    await run(events, streamOf(keys, 'MODIFY'));
    await run(events, streamOf(keys, 'REMOVE'));
    expect(put).toEqual([]);
    const [first, gone = { partition: '', sort: '' }, last] = keys;
    await store.commit({ writes: [{ kind: 'remove', key: gone, version: 1 }] });
    expect(await run(events, streamOf(keys))).toEqual({ answer: DONE, line: { ...LINE, left: 0 } });
    expect(sorts(put)).toEqual([first?.sort, last?.sort]);
  });

  it('returns the first refused event and all after it, and logs the refusal', async () => {
    const { store, keys } = await recorded(25);
    const failure = Object.assign(new Error('no'), { name: 'EventRefused', code: 'ThrottlingException' });
    const { events } = bus(store, { taken: 10 }, { taken: 3, failure });
    const { answer, line } = await run(events, streamOf(keys));
    expect(answer).toEqual(againFrom(14, 25));
    const cause = { name: 'EventRefused', code: 'ThrottlingException' };
    expect(line).toMatchObject({ ...LINE, left: 12, problem: 'internal-error', cause });
  });

  it('returns the first event of a failed batch and all after it, and publishes no more', async () => {
    const { store, keys } = await recorded(25);
    const { events, put } = bus(store, { taken: 10 }, Object.assign(new Error('no'), { name: 'InternalFailure' }));
    const { answer, line } = await run(events, streamOf(keys));
    expect(answer).toEqual(againFrom(11, 25));
    expect(line).toMatchObject({ ...LINE, left: 15, cause: { name: 'InternalFailure' } });
    expect(put).toHaveLength(10);
  });

  it('throws if nothing was published, so that the stream isolates an unreadable event', async () => {
    const { store, keys } = await recorded(3);
    const [, key = { partition: '', sort: '' }] = keys;
    await store.commit({ writes: [{ kind: 'replace', key, version: 1, data: { unknown: true } }] });
    const { events, put } = bus(store);
    const { answer, line } = await run(events, streamOf(keys));
    expect(answer).toMatchObject({ error: { name: '$ZodError' } });
    expect(line).toMatchObject({ ...LINE, problem: 'internal-error', cause: { name: '$ZodError' } });
    expect(put).toEqual([]);
    for (const alone of [keys.slice(0, 1), keys.slice(2)]) await run(events, streamOf(alone));
    expect(put).toHaveLength(2);
  });

  it('throws for an event of another kind', async () => {
    const { answer, line } = await run(bus(openSqlite(heldNow)).events, { source: 'aws.events' });
    expect(answer).toHaveProperty('error');
    expect(line).toMatchObject({ ...LINE, problem: 'internal-error' });
  });

  it('moves the outbox of each company once, and publishes the records that the stream names later', async () => {
    const { store, keys } = await recorded(1);
    const { events, put, moved } = bus(store);
    const outbox = ['outbox/1/1', 'outbox/1/2'].map((sort) => ({ partition: 'company/acme/events', sort }));
    const { answer } = await run(
      events,
      streamOf([...outbox, ...keys, { partition: 'company/b/events', sort: 'outbox/1/1' }]),
    );
    expect(answer).toEqual(DONE);
    expect(moved).toEqual(['company/acme/events', 'company/b/events']);
    expect(sorts(put)).toEqual(keys.map(({ sort }) => sort));
  });

  it('publishes nothing before a move that failed was repeated', async () => {
    const { store, keys } = await recorded(1);
    const { events, put } = bus(store);
    const move = () => Promise.reject(new Error('The store is busy'));
    const pending = { partition: 'company/acme/events', sort: 'outbox/1/1' };
    const { answer } = await run({ ...events, move }, streamOf([...keys, pending]));
    expect(answer).toEqual({ error: new Error('The store is busy') });
    expect(put).toEqual([]);
  });

  it('moves some events of each company, and the next ones when the stream brings the record of the last', async () => {
    const { store, keys } = await recorded(2);
    const { events, put, moved } = bus(store);
    const move: Events['move'] = async (partition) => (moved.push(partition) > 2 ? 'all' : 'some');
    const pending = ['acme', 'b'].map((id) => ({ partition: `company/${id}/events`, sort: 'outbox/1/1' }));
    expect((await run({ ...events, move }, streamOf(pending))).answer).toEqual(DONE);
    const read: Events['read'] = async (key) => {
      const item = await store.read(key);
      return key.sort === keys[1]?.sort ? { data: { ...Object(item?.data), hasMore: true } } : item;
    };
    await run({ ...events, read, move }, streamOf(keys.slice(0, 1)));
    expect(moved).toHaveLength(2);
    await run({ ...events, read, move }, streamOf(keys.slice(1)));
    expect(moved.slice(2)).toEqual(['company/acme/events']);
    expect(put.map((event) => 'hasMore' in event)).toEqual([false, false]);
  });

  it.each([
    ['a move moves nothing', 'none', {}],
    ['events are left that no record leads to', 'some', { publish: undefined }],
  ] as const)('fails if %s, so that the stream repeats it', async (_, end, changes) => {
    const { events } = bus(openSqlite(heldNow));
    const pending = { partition: 'company/acme/events', sort: 'outbox/1/1' };
    const { answer } = await run({ ...events, move: async () => end, ...changes }, streamOf([pending]));
    expect(answer).toHaveProperty('error');
  });

  it.each([
    ['all events of an outbox without an event bus', undefined, 0],
    ['ten batches of an outbox with an event bus', async () => ({ taken: 0 }), 100],
  ])('moves %s', async (_, publish, left) => {
    const world = new FeedWorld();
    for (let sequence = 1; sequence <= 550; sequence++) await world.record('acme', 7, sequence);
    const move: Events['move'] = (partition, wanted) =>
      world.mover()(companyOfEvents(partition), ENOUGH, wanted === 'all' ? undefined : BATCHES_IN_TURN);
    const pending = { partition: 'company/acme/events', sort: 'outbox/1/1' };
    const events = { move, read: (key: Key) => world.store.read(key), publish };
    expect((await run(events, streamOf([pending]))).answer).toEqual(DONE);
    const { items } = await world.store.list(pending.partition, { ...ALL, prefix: 'outbox/' });
    expect(items).toHaveLength(left);
  });

  it('moves the outbox without an event bus too, and passes over the records of events', async () => {
    const { store, keys } = await recorded(2);
    const { events, moved } = bus(store);
    const pending = { partition: 'company/acme/events', sort: 'outbox/1/1' };
    const { answer, line } = await run({ ...events, publish: undefined }, streamOf([pending, ...keys]));
    expect(answer).toEqual(DONE);
    expect(moved).toEqual(['company/acme/events']);
    expect(line).toEqual({ ...LINE, left: 0 });
  });

  it('puts jobs that are due on their queue, and leaves the others to the schedule', async () => {
    const queued: JobRef[] = [];
    const due = { companyId: 'acme', projectId: 7, atMs: NOW_MS };
    const later = { ...due, atMs: NOW_MS + 1 };
    const { events, put } = bus(openSqlite(heldNow));
    const queueJobs = async (jobs: readonly JobRef[]) => void queued.push(...jobs);
    const letter = { partition: 'jobs/letters', sort: '1' };
    const event = streamOf([...[due, later].map((job) => JOBS.keyOf(job, job.atMs)), letter]);
    expect(await run({ ...events, queueJobs }, event)).toEqual({ answer: DONE, line: { ...LINE, left: 0 } });
    expect(queued).toMatchObject([due]);
    expect(put).toEqual([]);
  });

  it('publishes events although the queue of jobs fails, and logs the failure', async () => {
    const { store, keys } = await recorded(1);
    const { events, put } = bus(store);
    const queueJobs = () => Promise.reject(Object.assign(new Error('no'), { name: 'AwsRefusal' }));
    const job = { companyId: 'acme', projectId: 7, atMs: NOW_MS };
    const { answer, line } = await run({ ...events, queueJobs }, streamOf([JOBS.keyOf(job, job.atMs), ...keys]));
    expect(answer).toEqual(DONE);
    expect(line).toMatchObject({ ...LINE, left: 0, cause: { name: 'AwsRefusal' } });
    expect(sorts(put)).toEqual(keys.map(({ sort }) => sort));
  });
});
