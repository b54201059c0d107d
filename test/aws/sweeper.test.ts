import { randomBytes, randomUUID } from 'node:crypto';
import { ListObjectVersionsCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { readItem } from '../../lib/storage/dynamodb/items.ts';
import { listItems } from '../../lib/storage/dynamodb/list.ts';
import { SWEEP } from '../../lib/storage/dynamodb/marks.ts';
import { type Objects, objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { sweep, sweepObject } from '../../lib/storage/dynamodb/sweeper.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { problemOf } from '../lib/support.ts';
import { createStore } from './store.ts';

const client = dynamoDbClient();
const s3 = s3Client();
afterAll(() => {
  client.destroy();
  s3.destroy();
});

const KEY = { partition: 'company/acme', sort: 'project/1' };
const LARGE = randomBytes(400_000);
const OTHER = randomBytes(500_000);
const MINUTE_MS = 60_000;

let table: string;
let bucket: string;
let nowMs: number;
let objects: Objects;
let storage: Storage;

beforeEach(async () => {
  ({ table, bucket } = await createStore());
  nowMs = Date.UTC(2026, 10, 20);
  objects = objectsIn(bucket, s3);
  storage = storageWith(objects);
});

const storageWith = (given: Objects) =>
  dynamoDbStorage({ table, client, objects: given, now: () => nowMs, newId: randomUUID });
const options = () => ({ table, client, objects, now: () => nowMs });
const insert = (bytes: Uint8Array, store = storage) =>
  store.commit({ writes: [{ kind: 'insert', key: KEY, data: {}, bytes }] });

async function remove(): Promise<void> {
  const { version = 0, payload } = (await storage.read(KEY)) ?? {};
  expect(await storage.commit({ writes: [{ kind: 'remove', key: KEY, version, drops: payload }] })).toEqual({
    ok: true,
  });
}

/** Every version of every object, and every mark. */
async function left(): Promise<{ objects: number; marks: number }> {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket }));
  const marks = await listItems(table, client, SWEEP, { prefix: '', limit: 100, maxBytes: 1_000_000 });
  return { objects: Versions.length + DeleteMarkers.length, marks: marks.items.length };
}

const always = () => true;

describe('a payload that is too large for the table', () => {
  it('is an object, which is read back and goes when its item is gone and it is swept', async () => {
    await insert(LARGE);
    expect(await left()).toEqual({ objects: 1, marks: 0 });
    expect(Buffer.compare((await storage.readWithPayload(KEY))?.bytes ?? Buffer.of(), LARGE)).toBe(0);
    await remove();
    expect(await storage.readWithPayload(KEY)).toBeUndefined();
    expect(await left()).toEqual({ objects: 1, marks: 1 });
    nowMs += MINUTE_MS;
    expect(await sweep(options(), () => false)).toEqual({ removed: 0, left: 1, oldestMs: MINUTE_MS });
    expect(await sweep(options(), always)).toEqual({ removed: 1, left: 0, oldestMs: 0 });
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('takes the place of a small one and the other way round, and leaves nothing of what was before', async () => {
    const payloads = [Buffer.from('small'), LARGE, OTHER, Buffer.from('small again')];
    for (const [index, bytes] of payloads.entries()) {
      const { version = 0, payload } = (await storage.read(KEY)) ?? {};
      const content = { key: KEY, data: { index }, bytes };
      const write =
        version === 0
          ? ({ kind: 'insert', ...content } as const)
          : ({ kind: 'replace', version, drops: payload, ...content } as const);
      expect(await storage.commit({ writes: [write] })).toEqual({ ok: true });
      expect(Buffer.compare((await storage.readWithPayload(KEY))?.bytes ?? Buffer.of(), bytes)).toBe(0);
    }
    await sweep(options(), always);
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('leaves an object that nobody names where its transaction is refused, and that is swept when it is due', async () => {
    await insert(LARGE);
    expect(await insert(OTHER)).toEqual({ ok: false, refused: 0 });
    expect(await left()).toEqual({ objects: 2, marks: 1 });
    expect(await sweep(options(), always)).toEqual({ removed: 0, left: 0, oldestMs: 0 });
    nowMs += 20 * MINUTE_MS;
    expect(await sweep(options(), always)).toEqual({ removed: 1, left: 0, oldestMs: 0 });
    expect(await left()).toEqual({ objects: 1, marks: 0 });
    expect(Buffer.compare((await storage.readWithPayload(KEY))?.bytes ?? Buffer.of(), LARGE)).toBe(0);
  });

  it('is not named by a transaction that comes when its object has been swept', async () => {
    const sleepy: Objects = {
      ...objects,
      put: async (name, bytes) => {
        await objects.put(name, bytes);
        nowMs += 20 * MINUTE_MS;
        expect(await sweepObject(options(), name)).toBe(true);
      },
    };
    expect((await problemOf(() => insert(LARGE, storageWith(sleepy)))).name).toBe('unavailable');
    expect(await readItem(table, client, KEY)).toBeUndefined();
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('is told as lost where its object is gone, or is another', async () => {
    await insert(LARGE);
    const { payload = '' } = (await storage.read(KEY)) ?? {};
    await objects.remove(payload);
    await expect(storage.readWithPayload(KEY)).rejects.toThrow('lost');
    await objects.put(payload, OTHER);
    await expect(storage.readWithPayload(KEY)).rejects.toThrow('other bytes');
  });
});

describe('the sweeper', () => {
  it('removes every version from a bucket that keeps them', async () => {
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
    await insert(LARGE);
    await remove();
    expect(await sweep(options(), always)).toMatchObject({ removed: 1 });
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('goes on where it was stopped, whichever object could not be removed', async () => {
    for (let n = 0; n < 3; n++) {
      await insert(LARGE);
      await remove();
    }
    let calls = 0;
    const failing: Objects = {
      ...objects,
      remove: (name) => (++calls === 2 ? Promise.reject(new Error('planted')) : objects.remove(name)),
    };
    expect(await sweep({ ...options(), objects: failing }, always)).toMatchObject({ removed: 2, left: 1 });
    expect(await left()).toEqual({ objects: 1, marks: 1 });
    expect(await sweep(options(), always)).toMatchObject({ removed: 1, left: 0 });
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('may be run by many at once', async () => {
    await insert(LARGE);
    await remove();
    const sweeps = await Promise.all([sweep(options(), always), sweep(options(), always), sweep(options(), always)]);
    expect(sweeps.reduce((sum, { removed }) => sum + removed, 0)).toBeGreaterThan(0);
    expect(await left()).toEqual({ objects: 0, marks: 0 });
    expect(await sweepObject(options(), 'none')).toBe(true);
  });
});
