import { beforeEach, describe, expect, it } from 'vitest';
import { sweeper } from '../../../lib/background/sweep-handler.ts';
import { MAX_IN_TABLE_BYTES } from '../../../lib/storage/dynamodb/payload.ts';
import { dynamoDbStorage } from '../../../lib/storage/dynamodb/storage.ts';
import { markerKey, SWEEP_MARKERS } from '../../../lib/storage/dynamodb/sweep-markers.ts';
import { sweep, sweepObject } from '../../../lib/storage/dynamodb/sweeper.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { refused } from '../../support/aws/faults.ts';
import { S3StandIn } from '../../support/aws/s3.ts';
import { contextOf, keptLog } from '../http/fixture.ts';
import { NOW_MS } from '../support.ts';
import { againFrom, DONE, streamOf } from './stream.ts';

const MINUTE_MS = 60_000;
const SCHEDULE = { source: 'aws.events' };
const LINE = { operation: 'sweeper', requestId: 'invocation-1', durationMs: 0 };

let dynamoDb: DynamoDbStandIn;
let s3: S3StandIn;
let storage: Storage;
let ids: number;

beforeEach(() => {
  dynamoDb = new DynamoDbStandIn();
  s3 = new S3StandIn();
  ids = 0;
  const { client, tableName: table } = dynamoDb;
  storage = dynamoDbStorage({ table, client, objects: s3.objects, now: () => NOW_MS, newId: () => String(++ids) });
});

/**
 * Runs the sweeper some minutes later.
 * @returns its answer, the log line of the run, and its alert if there is one
 */
async function run(event: unknown, { minutes = 5, remainingMs = 200_000 } = {}) {
  const { client, tableName: table } = dynamoDb;
  const swept = { table, client, objects: s3.objects, now: () => NOW_MS + minutes * MINUTE_MS };
  const { lines, options } = keptLog();
  const handler = sweeper(
    { all: (isTimeLeft) => sweep(swept, isTimeLeft), one: (object) => sweepObject(swept, object) },
    options,
  );
  const answer = await handler(event, contextOf(remainingMs)).catch((error: unknown) => ({ error }));
  const [line, alert, ...others] = lines;
  expect(others).toEqual([]);
  return { answer, line, ...(alert && { alert: alert.alert }) };
}

/**
 * Writes an object and drops it.
 * @returns the key of its marker
 */
async function dropObject() {
  const key = { partition: 'company/acme', sort: 'project/1' };
  const bytes = new Uint8Array(MAX_IN_TABLE_BYTES + 1);
  await storage.commit({ writes: [{ kind: 'insert', key, data: {}, bytes }] });
  const { payload: drops = '' } = (await storage.read(key)) ?? {};
  await storage.commit({ writes: [{ kind: 'remove', key, version: 1, drops }] });
  return markerKey(drops);
}

/** Writes an unreadable marker. */
const writeBadMarker = () => {
  const key = markerKey('company/acme/broken');
  return storage.commit({ writes: [{ kind: 'insert', key, data: { unknown: true } }] });
};

describe('the sweeper on a stream event', () => {
  it('deletes the marked objects', async () => {
    const marks = [await dropObject(), await dropObject()];
    expect(await run(streamOf(marks))).toEqual({ answer: DONE, line: { ...LINE, left: 0 } });
    expect(s3.versions).toEqual([]);
  });

  it('ignores changed and removed markers', async () => {
    const marks = [await dropObject()];
    for (const what of ['MODIFY', 'REMOVE'] as const) {
      expect(await run(streamOf(marks, what))).toEqual({ answer: DONE, line: { ...LINE, left: 0 } });
    }
    expect(s3.versions).toHaveLength(1);
  });

  it('returns the objects that it could not delete, and logs the first failure', async () => {
    const marks = [await dropObject(), await dropObject(), await dropObject()];
    s3.keep('AccessDenied', 'InternalError');
    const { answer, line } = await run(streamOf(marks));
    expect(answer).toEqual(againFrom(1, 2));
    const cause = { name: 'VersionsLeft', code: 'AccessDenied', frames: expect.any(Array) };
    expect(line).toEqual({ ...LINE, left: 2, problem: 'unavailable', cause });
    expect(s3.versions).toHaveLength(2);
  });
});

describe('the sweeper on a schedule', () => {
  it('deletes all objects that are due, and logs counts', async () => {
    for (let n = 0; n < 3; n++) await dropObject();
    expect(await run(SCHEDULE)).toEqual({
      answer: undefined,
      line: { ...LINE, removed: 3, left: 0, oldestMs: 0 },
    });
    expect(s3.versions).toEqual([]);
  });

  it('logs the first failure, and how long its object has been due', async () => {
    for (let n = 0; n < 3; n++) await dropObject();
    s3.keep('AccessDenied');
    const { line, alert } = await run(SCHEDULE, { minutes: 31 });
    const cause = { name: 'VersionsLeft', code: 'AccessDenied', frames: expect.any(Array) };
    const left = { removed: 2, left: 1, oldestMs: 31 * MINUTE_MS };
    expect(line).toEqual({ ...LINE, ...left, problem: 'unavailable', cause });
    expect(alert).toBe('sweeps-waiting');
  });

  it('counts an unreadable marker as left, and deletes the other objects', async () => {
    await dropObject();
    await writeBadMarker();
    await dropObject();
    const { line } = await run(SCHEDULE);
    const left = { removed: 2, left: 1, oldestMs: NOW_MS + 5 * MINUTE_MS };
    expect(line).toMatchObject({ ...left, problem: 'internal-error', cause: { name: '$ZodError' } });
    expect(s3.versions).toEqual([]);
  });

  it('deletes nothing when its time is up, and logs the objects left', async () => {
    for (let n = 0; n < 2; n++) await dropObject();
    const { line } = await run(SCHEDULE, { remainingMs: 5_000 });
    expect(line).toEqual({ ...LINE, removed: 0, left: 2, oldestMs: 5 * MINUTE_MS });
  });

  it('stops reading markers when its time is up, and logs that there are more', async () => {
    const data = { partition: 'company/acme', sort: 'x'.repeat(1_000), dueMs: NOW_MS };
    // One call reads a megabyte, and this is more.
    const [partition = ''] = SWEEP_MARKERS.partitions;
    for (let n = 0; n < 1_100; n++) {
      await storage.commit({ writes: [{ kind: 'insert', key: { partition, sort: `mark-${n}` }, data }] });
    }
    const { line } = await run(SCHEDULE, { remainingMs: 5_000 });
    expect(line).toMatchObject({ removed: 0, problem: 'unavailable', cause: { name: 'RangeError' } });
    expect(line?.left).toBeLessThan(1_100);
    expect(dynamoDb.calls.filter((call) => call === 'Query')).toHaveLength(SWEEP_MARKERS.partitions.length);
  });

  it('throws if the markers cannot be read', async () => {
    dynamoDb.plan('Query', refused('AccessDeniedException'));
    const { answer, line } = await run(SCHEDULE);
    expect(answer).toMatchObject({ error: { name: 'unavailable' } });
    expect(line).toMatchObject({
      ...LINE,
      problem: 'unavailable',
      cause: { name: 'AwsRefusal', code: 'AccessDeniedException' },
    });
  });
});
