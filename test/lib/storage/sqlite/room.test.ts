import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Write } from '../../../../lib/storage/port.ts';
import { openDatabase } from '../../../../lib/storage/sqlite/database.ts';
import { type Reserve, reserveIn } from '../../../../lib/storage/sqlite/reserve.ts';
import { SqliteStorage } from '../../../../lib/storage/sqlite/storage.ts';
import { heldNow, problemOf } from '../../support.ts';
import { temporaryFolder } from '../folder.ts';

/** More than a commit of the sweeper writes to the log. */
const RESERVE_BYTES = 4_194_304;
const PAYLOAD = new Uint8Array(1_000_000).fill(1);

const at = (sort: string) => ({ partition: 'p', sort });
const insert = (sort: string): Write => ({ kind: 'insert', key: at(sort), data: {} });
const withPayload = (sort: string): Write => ({ kind: 'insert', key: at(sort), data: {}, bytes: PAYLOAD });

/** The disk of a folder. While other files take the rest of it, every file of the folder can only become shorter. */
class SmallDisk {
  readonly folder = temporaryFolder();
  #capacity = Number.POSITIVE_INFINITY;

  /** Returns the size of a file; 0 if it does not exist. */
  sizeOf(file: string): number {
    return statSync(join(this.folder, file), { throwIfNoEntry: false })?.size ?? 0;
  }

  get used(): number {
    return readdirSync(this.folder).reduce((sum, file) => sum + this.sizeOf(file), 0);
  }

  /** Lets other files take all space that this folder does not use. */
  fillUp(): void {
    this.#capacity = this.used;
  }

  makeSpace(): void {
    this.#capacity = Number.POSITIVE_INFINITY;
  }

  /** Returns a connection whose commits fail as SQLite's do if the disk is full. */
  connection(database: DatabaseSync): DatabaseSync {
    return new Proxy(database, {
      get: (target, name) => {
        if (name === 'exec')
          return (sql: string) => {
            if (sql === 'COMMIT' && this.used >= this.#capacity)
              throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
            target.exec(sql);
          };
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  /** Returns a reserve that gets no more than the disk has. */
  reserve(): Reserve {
    const upTo = (bytes: number) => reserveIn(this.folder, bytes);
    return {
      release: () => upTo(0).release(),
      fill: () => upTo(Math.min(RESERVE_BYTES, this.sizeOf('segue.reserve') + this.#capacity - this.used)).fill(),
    };
  }
}

/** Opens a store on a disk that is full. It has three items with payloads. */
async function arrange() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const disk = new SmallDisk();
  const database = openDatabase(disk.folder);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  const store = new SqliteStorage(disk.connection(database), heldNow, { reserve: disk.reserve() });
  const sweep = async () => {
    // The store wakes the sweeper after it has answered.
    await setImmediate();
    vi.advanceTimersByTime(1_000);
  };
  await store.commit({ writes: [withPayload('a'), withPayload('b'), withPayload('c')] });
  await sweep();
  disk.fillUp();
  const remove = async (sort: string): Promise<Write> => {
    const item = await store.read(at(sort));
    return { kind: 'remove', key: at(sort), version: 1, drops: item?.payload };
  };
  return { disk, store, sweep, remove };
}

describe('a store on a full disk', () => {
  it('keeps a reserve, which only its owner may read', async () => {
    const { disk } = await arrange();
    expect(disk.sizeOf('segue.reserve')).toBe(RESERVE_BYTES);
    expect(statSync(join(disk.folder, 'segue.reserve')).mode & 0o777).toBe(0o600);
  });

  it('refuses changes that need space, and has none of their parts', async () => {
    const { disk, store } = await arrange();
    for (const write of [withPayload('d'), insert('d')]) {
      expect(await problemOf(() => store.commit({ writes: [insert('e'), write] }))).toMatchObject({
        name: 'unavailable',
      });
    }
    expect(await store.read(at('e'))).toBeUndefined();
    expect(await store.readWithPayload(at('a'))).toMatchObject({ bytes: PAYLOAD });
    expect(disk.sizeOf('segue.reserve')).toBe(RESERVE_BYTES);
  });

  it('makes deletions with what they record, and refills its reserve', async () => {
    const { disk, store, remove } = await arrange();
    for (const sort of ['a', 'b']) {
      const writes = [await remove(sort), insert(`tombstone of ${sort}`)];
      expect(await store.commit({ writes, usesReserve: true })).toEqual({ ok: true });
      expect(disk.sizeOf('segue.reserve')).toBe(RESERVE_BYTES);
    }
    expect(await store.read(at('a'))).toBeUndefined();
    expect(await store.read(at('tombstone of b'))).toBeDefined();
  });

  it('makes removals that record nothing', async () => {
    const { store, remove } = await arrange();
    expect(await store.commit({ writes: [await remove('a')] })).toEqual({ ok: true });
  });

  it('makes changes that fit into the space of swept payloads, and no others', async () => {
    const { disk, store, sweep, remove } = await arrange();
    await store.commit({ writes: [await remove('a'), await remove('b'), await remove('c')] });
    await sweep();
    disk.fillUp();
    const before = disk.sizeOf('segue.db');
    expect(await store.commit({ writes: [withPayload('d')] })).toEqual({ ok: true });
    expect(disk.sizeOf('segue.db')).toBe(before);
    expect(disk.sizeOf('segue.reserve')).toBe(RESERVE_BYTES);
    disk.fillUp();
    expect(await problemOf(() => store.commit({ writes: [withPayload('e')] }))).toMatchObject({ name: 'unavailable' });
  });

  it('refuses deletions too if other files have taken the reserve, and makes all changes once there is space', async () => {
    const { disk, store, sweep, remove } = await arrange();
    disk.reserve().release();
    disk.fillUp();
    const batch = { writes: [await remove('a'), insert('tombstone')], usesReserve: true };
    expect(await problemOf(() => store.commit(batch))).toMatchObject({ name: 'unavailable' });
    expect(await store.read(at('a'))).toBeDefined();
    disk.makeSpace();
    expect(await store.commit(batch)).toEqual({ ok: true });
    await sweep();
    expect(disk.sizeOf('segue.reserve')).toBe(RESERVE_BYTES);
  });

  it('empties its log before it refuses a change', async () => {
    const { disk, store } = await arrange();
    disk.makeSpace();
    await store.commit({ writes: [withPayload('d')] });
    expect(disk.sizeOf('segue.db-wal')).toBeGreaterThan(PAYLOAD.length);
    disk.fillUp();
    // Emptying the log makes the database file longer. So something else must be shorter afterwards.
    disk.reserve().release();
    expect(await store.commit({ writes: [insert('e')] })).toEqual({ ok: true });
  });
});
