import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DynamoDb } from '../../../../lib/storage/dynamodb/client.ts';
import type { Objects } from '../../../../lib/storage/dynamodb/objects.ts';
import { MAX_IN_TABLE_BYTES } from '../../../../lib/storage/dynamodb/payload.ts';
import { dynamoDbStorage } from '../../../../lib/storage/dynamodb/storage.ts';
import {
  markerKey,
  SECOND_LOOK_MS,
  SECOND_LOOKS,
  SWEEP_MARKERS,
} from '../../../../lib/storage/dynamodb/sweep-markers.ts';
import { sweep, sweepObject } from '../../../../lib/storage/dynamodb/sweeper.ts';
import type { Storage } from '../../../../lib/storage/port.ts';
import type { Shards } from '../../../../lib/storage/shards.ts';
import { expectProblem, problemOf } from '../../support.ts';

/** An empty table, and an empty bucket that keeps every version. */
export interface Backing {
  readonly table: string;
  readonly client: DynamoDb;
  readonly objects: Objects;
  /** Returns the number of object versions and delete markers. */
  readonly versions: () => Promise<number>;
  /** Writes another version of an object. */
  readonly overwrite: (name: string, bytes: Uint8Array) => Promise<unknown>;
}

const KEY = { partition: 'company/acme', sort: 'project/1' };
const LARGE = randomBytes(400_000);
const OTHER = randomBytes(500_000);
const MINUTE_MS = 60_000;

let backing: Backing;
let nowMs: number;
let storage: Storage;

/**
 * Tests payloads that are too large for the table.
 * @param open creates the table and the bucket of one test
 */
export function describeObjects(name: string, open: () => Promise<Backing>): void {
  describe(name, () => {
    beforeEach(async () => {
      backing = await open();
      nowMs = Date.UTC(2026, 10, 20);
      storage = storageWith(backing.objects);
    });
    describe('a payload that is too large for the table', largePayloads);
    describe('an object of an attempt that was frozen', frozenAttempts);
    describe('the sweeper', sweeping);
  });
}

const options = () => ({ ...backing, now: () => nowMs });
const storageWith = (objects: Objects) => dynamoDbStorage({ ...options(), objects, newId: randomUUID });
const insert = (bytes: Uint8Array, store = storage) =>
  store.commit({ writes: [{ kind: 'insert', key: KEY, data: {}, bytes }] });

async function remove(): Promise<void> {
  const { version = 0, payload } = (await storage.read(KEY)) ?? {};
  expect(await storage.commit({ writes: [{ kind: 'remove', key: KEY, version, drops: payload }] })).toEqual({
    ok: true,
  });
}

async function countIn({ partitions }: Shards): Promise<number> {
  const range = { prefix: '', limit: 100, maxBytes: 1_000_000 };
  const pages = await Promise.all(partitions.map((partition) => storage.list(partition, range)));
  return pages.flatMap(({ items }) => items).length;
}

/** Returns the number of object versions and of markers. */
async function left(): Promise<{ objects: number; marks: number }> {
  return { objects: await backing.versions(), marks: await countIn(SWEEP_MARKERS) };
}

const always = () => true;

function largePayloads(): void {
  it('is an object, which is swept after its item is removed', async () => {
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

  it('is in the table if it fits, however long its key is', async () => {
    const key = { ...KEY, sort: 'x'.repeat(1_024) };
    const bytes = LARGE.subarray(0, MAX_IN_TABLE_BYTES);
    expect(await storage.commit({ writes: [{ kind: 'insert', key, data: {}, bytes }] })).toEqual({ ok: true });
    expect(await left()).toEqual({ objects: 0, marks: 0 });
    expect(Buffer.compare((await storage.readWithPayload(key))?.bytes ?? Buffer.of(), bytes)).toBe(0);
  });

  it('replaces a small one and the reverse, and leaves nothing', async () => {
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

  it('leaves an object if its transaction is refused, which is swept when it is due', async () => {
    await insert(LARGE);
    expect(await insert(OTHER)).toEqual({ ok: false, refused: 0 });
    expect(await left()).toEqual({ objects: 2, marks: 1 });
    expect(await sweep(options(), always)).toEqual({ removed: 0, left: 0, oldestMs: 0 });
    nowMs += 20 * MINUTE_MS;
    expect(await sweep(options(), always)).toEqual({ removed: 1, left: 0, oldestMs: 0 });
    expect(await left()).toEqual({ objects: 1, marks: 0 });
    expect(Buffer.compare((await storage.readWithPayload(KEY))?.bytes ?? Buffer.of(), LARGE)).toBe(0);
  });

  it('is refused if its object was swept before the transaction', async () => {
    const sleepy: Objects = {
      ...backing.objects,
      put: async (name, bytes) => {
        await backing.objects.put(name, bytes);
        nowMs += 20 * MINUTE_MS;
        expect(await sweepObject(options(), name)).toBe(true);
      },
    };
    expect((await problemOf(() => insert(LARGE, storageWith(sleepy)))).name).toBe('unavailable');
    expect(await storage.read(KEY)).toBeUndefined();
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('is lost if its object is gone, and its item can still be removed', async () => {
    await insert(LARGE);
    const item = await storage.read(KEY);
    if (!item?.payload) throw new Error('The payload is no object');
    await backing.objects.remove(item.payload);
    await expectProblem('content-lost', () => storage.readWithPayload(KEY));
    await expectProblem('content-lost', () => storage.readPayloadRange(item, { from: 0, to: 10 }));
    await remove();
    expect(await storage.readPayloadRange(item, { from: 0, to: 10 })).toBeUndefined();
  });

  it('fails if its object has changed', async () => {
    await insert(LARGE);
    const { payload = '' } = (await storage.read(KEY)) ?? {};
    await backing.objects.remove(payload);
    await backing.objects.put(payload, OTHER);
    await expect(storage.readWithPayload(KEY)).rejects.toThrow('do not match');
  });
}

function frozenAttempts(): void {
  /** Waits longer than a marker does, and sweeps. */
  async function freeze(): Promise<void> {
    nowMs += 20 * MINUTE_MS;
    await sweep(options(), always);
  }

  /**
   * Returns objects whose writer is frozen before it sends one.
   * @param afterPut runs after the write
   */
  const frozenBeforePut = (afterPut: () => Promise<void> = async () => {}): Objects => ({
    ...backing.objects,
    put: async (name, bytes) => {
      await freeze();
      await backing.objects.put(name, bytes);
      await afterPut();
    },
  });

  it('is not written if the attempt notices', async () => {
    let puts = 0;
    const client: DynamoDb = {
      async call(...call) {
        const answer = await backing.client.call(...call);
        await freeze();
        return answer;
      },
    };
    const objects: Objects = { ...backing.objects, put: async () => void puts++ };
    const late = dynamoDbStorage({ ...options(), client, objects, newId: randomUUID });
    expect((await problemOf(() => insert(LARGE, late))).name).toBe('unavailable');
    expect([puts, await left()]).toEqual([0, { objects: 0, marks: 0 }]);
  });

  it('is marked again when its transaction is refused, and swept', async () => {
    expect((await problemOf(() => insert(LARGE, storageWith(frozenBeforePut())))).name).toBe('unavailable');
    expect(await storage.read(KEY)).toBeUndefined();
    expect(await left()).toEqual({ objects: 1, marks: 0 });
    expect(await sweep(options(), always)).toEqual({ removed: 1, left: 0, oldestMs: 0 });
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('is marked again if its item has changed meanwhile', async () => {
    const meanwhile = frozenBeforePut(async () => void (await insert(OTHER)));
    expect(await insert(LARGE, storageWith(meanwhile))).toEqual({ ok: false, refused: 0 });
    expect(await left()).toEqual({ objects: 2, marks: 0 });
    expect(await sweep(options(), always)).toMatchObject({ removed: 1, left: 0 });
    expect(await left()).toEqual({ objects: 1, marks: 0 });
    expect(Buffer.compare((await storage.readWithPayload(KEY))?.bytes ?? Buffer.of(), OTHER)).toBe(0);
  });

  it('is found by a second check if the attempt is killed after the write', async () => {
    const killed = Promise.withResolvers<void>();
    const never = frozenBeforePut(() => {
      killed.resolve();
      return new Promise(() => {});
    });
    void insert(LARGE, storageWith(never));
    await killed.promise;
    nowMs += SECOND_LOOK_MS - 1;
    expect(await sweep(options(), always)).toEqual({ removed: 0, left: 0, oldestMs: 0 });
    expect(await left()).toEqual({ objects: 1, marks: 0 });
    nowMs += 1;
    let asked = 0;
    expect(await sweep(options(), () => asked++ === 0)).toEqual({ removed: 0, left: 1, oldestMs: 0 });
    expect(await sweep(options(), always)).toEqual({ removed: 1, left: 0, oldestMs: 0 });
    expect([await left(), await countIn(SECOND_LOOKS)]).toEqual([{ objects: 0, marks: 0 }, 0]);
  });

  it('is refused to a transaction that arrives even later', async () => {
    const sent: Parameters<DynamoDb['call']>[] = [];
    const client: DynamoDb = {
      async call(...call) {
        const isCommit = call[0] === 'TransactWriteItems' && sent.length > 0;
        if (call[0] === 'TransactWriteItems') sent.push(call);
        if (isCommit) throw Object.assign(new Error('planted'), { code: 'ECONNRESET' });
        return backing.client.call(...call);
      },
    };
    const objects = frozenBeforePut();
    const late = dynamoDbStorage({ ...options(), client, objects, newId: randomUUID });
    expect((await problemOf(() => insert(LARGE, late))).name).toBe('outcome-unknown');
    nowMs += SECOND_LOOK_MS;
    let asked = 0;
    // There is time for the second check, but not for the object.
    await sweep(options(), () => asked++ < 2);
    expect(await left()).toEqual({ objects: 1, marks: 1 });
    const [, commit] = sent;
    if (!commit) throw new Error('The commit was sent');
    await expect(backing.client.call(...commit)).rejects.toMatchObject({ name: 'AwsRefusal' });
    expect(await storage.read(KEY)).toBeUndefined();
    await sweep(options(), always);
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('gets no second check if its deletion was committed', async () => {
    await insert(LARGE);
    await remove();
    await sweep(options(), always);
    expect([await left(), await countIn(SECOND_LOOKS)]).toEqual([{ objects: 0, marks: 0 }, 0]);
  });
}

function sweeping(): void {
  it('removes every version of an object', async () => {
    await insert(LARGE);
    const { payload = '' } = (await storage.read(KEY)) ?? {};
    for (const bytes of [OTHER, LARGE]) await backing.overwrite(payload, bytes);
    await remove();
    expect(await left()).toEqual({ objects: 3, marks: 1 });
    expect(await sweep(options(), always)).toMatchObject({ removed: 1 });
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('removes no object that a running transaction needs', async () => {
    const removing = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<void>();
    const slow: Objects = {
      ...backing.objects,
      remove: async (name) => {
        removing.resolve();
        await refused.promise;
        await backing.objects.remove(name);
      },
    };
    let swept: Promise<boolean> | undefined;
    const sleepy: Objects = {
      ...backing.objects,
      put: async (name, bytes) => {
        await backing.objects.put(name, bytes);
        nowMs += 20 * MINUTE_MS;
        swept = sweepObject({ ...options(), objects: slow }, name);
        await removing.promise;
      },
    };
    expect((await problemOf(() => insert(LARGE, storageWith(sleepy)))).name).toBe('unavailable');
    refused.resolve();
    expect(await swept).toBe(true);
    expect(await storage.read(KEY)).toBeUndefined();
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('leaves an object that an item refers to', async () => {
    await insert(LARGE);
    const { payload = '' } = (await storage.read(KEY)) ?? {};
    const mark = { ...KEY, dueMs: nowMs };
    await storage.commit({
      writes: [{ kind: 'insert', key: markerKey(payload), data: mark }],
    });
    await sweep(options(), always);
    expect(await left()).toEqual({ objects: 1, marks: 0 });
  });

  it('continues after an object that could not be removed', async () => {
    for (let n = 0; n < 3; n++) {
      await insert(LARGE);
      await remove();
    }
    let calls = 0;
    const failing: Objects = {
      ...backing.objects,
      remove: (name) => (++calls === 2 ? Promise.reject(new Error('planted')) : backing.objects.remove(name)),
    };
    expect(await sweep({ ...options(), objects: failing }, always)).toMatchObject({ removed: 2, left: 1 });
    expect(await left()).toEqual({ objects: 1, marks: 1 });
    expect(await sweep(options(), always)).toMatchObject({ removed: 1, left: 0 });
    expect(await left()).toEqual({ objects: 0, marks: 0 });
  });

  it('can run several times at once', async () => {
    await insert(LARGE);
    await remove();
    const sweeps = await Promise.all([sweep(options(), always), sweep(options(), always), sweep(options(), always)]);
    expect(sweeps.reduce((sum, { removed }) => sum + removed, 0)).toBeGreaterThan(0);
    expect(await left()).toEqual({ objects: 0, marks: 0 });
    expect(await sweepObject(options(), 'none')).toBe(true);
  });
}
