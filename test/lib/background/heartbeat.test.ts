import { expect, it } from 'vitest';
import { eventPublisher } from '../../../lib/background/event-publisher.ts';
import { HEARTBEATS, withHeartbeat } from '../../../lib/background/heartbeat.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { contextOf, keptLog } from '../http/fixture.ts';
import { NOW_MS } from '../support.ts';
import { DONE, streamOf } from './stream.ts';

const SCHEDULE = { source: 'aws.events' };

it('a scheduled run adds an item that expires, and a run for records of a stream adds none', async () => {
  const store = new MemoryStorage();
  const events: unknown[] = [];
  const handler = withHeartbeat(
    async (event) => void events.push(event),
    () => store,
    () => NOW_MS,
  );
  const records = streamOf([{ partition: 'sweep/1', sort: 'one' }]);
  await handler(records, contextOf());
  expect(store.all()).toEqual([]);
  await handler(SCHEDULE, contextOf());
  expect(store.all()).toMatchObject([{ partition: HEARTBEATS, expiresAtMs: NOW_MS + 3_600_000 }]);
  // A second run at the same time adds none, and does its work.
  await handler(SCHEDULE, contextOf());
  expect(store.all()).toHaveLength(1);
  expect(events).toEqual([records, SCHEDULE, SCHEDULE]);
});

it('a run does its work although the heartbeat fails', async () => {
  const commit = () => Promise.reject(new Error('No.'));
  const handler = withHeartbeat(
    async () => undefined,
    () => ({ commit }),
    () => NOW_MS,
  );
  await expect(handler(SCHEDULE, contextOf())).resolves.toBeUndefined();
});

it('a heartbeat makes publishEvents run, which finds nothing to do', async () => {
  const { lines, options } = keptLog();
  const never = () => Promise.reject(new Error('Unexpected call'));
  const events = { move: never, read: never, publish: never, queueJobs: never };
  const beat = streamOf([{ partition: HEARTBEATS, sort: String(NOW_MS) }]);
  expect(await eventPublisher(events, options)(beat, contextOf())).toEqual(DONE);
  expect(lines).toEqual([{ operation: 'publishEvents', requestId: 'invocation-1', durationMs: 0, left: 0 }]);
});
