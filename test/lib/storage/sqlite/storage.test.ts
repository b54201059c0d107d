import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MAX_INSIDE_BYTES } from '../../../../lib/storage/port.ts';
import { openDatabase, StoreNotOpened } from '../../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../../lib/storage/sqlite/storage.ts';
import { heldNow, problemOf } from '../../support.ts';
import { openSqlite, temporaryFolder } from '../folder.ts';
import { describeStorage } from '../storage-suite.ts';

describeStorage('SQLite', () => openSqlite(heldNow));

const at = (sort: string) => ({ partition: 'p', sort });
const insert = (sort: string, data: unknown = { sort }) => ({ kind: 'insert', key: at(sort), data }) as const;
const withPayload = (sort: string, bytes: Uint8Array) => ({ ...insert(sort), bytes });
/** A payload outside its item. */
const OUTSIDE = new Uint8Array(MAX_INSIDE_BYTES + 1);
const ALL = { prefix: '', limit: 99, maxBytes: 1_000_000 };

/** Removes an item with its payload. */
async function remove(store: SqliteStorage, sort: string): Promise<void> {
  const { version = 0, payload } = (await store.read(at(sort))) ?? {};
  await store.commit({ writes: [{ kind: 'remove', key: at(sort), version, drops: payload }] });
}

/** Holds the sweeper's timers until the end of the test. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Opens a database without a store. It is closed at the end of the test. */
function openRaw(folder = temporaryFolder()): DatabaseSync {
  const database = openDatabase(folder);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

/** Opens a store, and a second connection to its database. */
function world() {
  const folder = temporaryFolder();
  const database = openRaw(folder);
  return { folder, database, store: new SqliteStorage(database, heldNow) };
}

const payloadsIn = (database: DatabaseSync) => database.prepare('SELECT id FROM payloads').all();
const hasCanary = (folder: string) =>
  readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes('canary'));

describe('the files of a store', () => {
  it('are for the owner alone, in pages of 8 KB with a write-ahead log', async () => {
    const folder = join(temporaryFolder(), 'new/store');
    const database = openRaw(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o755);
    await new SqliteStorage(database, heldNow).commit({ writes: [insert('a')] });
    const files = readdirSync(folder);
    expect(files.sort()).toEqual(['segue.db', 'segue.db-shm', 'segue.db-wal']);
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(database.prepare('PRAGMA page_size').get()).toEqual({ page_size: 8192 });
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  it('keep items and payloads for the next start', async () => {
    const folder = temporaryFolder();
    const first = openSqlite(heldNow, folder);
    await first.commit({ writes: [withPayload('a', Uint8Array.of(1, 2))] });
    first.close();
    const item = { version: 1, data: { sort: 'a' } };
    expect(await openSqlite(heldNow, folder).readWithPayload(at('a'))).toMatchObject({
      item,
      bytes: Uint8Array.of(1, 2),
    });
  });

  it('keep nothing of removed items and payloads after the store is closed', async () => {
    const { folder, store } = world();
    const canary = 'canary '.repeat(10_000);
    await store.commit({ writes: [withPayload('x', Buffer.from(canary)), insert('y', canary), insert('z', canary)] });
    await remove(store, 'x');
    for (const sort of ['y', 'z']) {
      await store.commit({ writes: [{ kind: 'remove', key: at(sort), version: 1, erase: true }] });
    }
    // Another process can do this work too, because it is recorded in a table.
    expect(openRaw(folder).prepare('SELECT id FROM dropped').all()).toHaveLength(2);
    store.close();
    expect(hasCanary(folder)).toBe(false);
  });

  it('keep nothing of removed items and payloads while the store is open', async () => {
    holdTimers();
    const { folder, database, store } = world();
    const item = insert('x', 'canary '.repeat(1_000));
    await store.commit({ writes: [{ ...item, bytes: Buffer.from('canary '.repeat(10_000)) }] });
    await remove(store, 'x');
    expect(hasCanary(folder)).toBe(true);
    vi.advanceTimersByTime(1_000);
    expect(hasCanary(folder)).toBe(false);
    expect(payloadsIn(database)).toEqual([]);
    expect(database.prepare('SELECT id FROM dropped').all()).toEqual([]);
  });
});

describe('a store that several connections have open', () => {
  it('holds conditions between them, and shows each the commits of the other', async () => {
    const folder = temporaryFolder();
    const one = openSqlite(heldNow, folder);
    const other = openSqlite(heldNow, folder);
    const commits = Array.from({ length: 20 }, (_, n) =>
      [one, other][n % 2]?.commit({ writes: [insert(`${n >> 1}`)] }),
    );
    const made = (await Promise.all(commits)).filter((commit) => commit?.ok);
    expect(made).toHaveLength(10);
    expect(await one.list('p', ALL)).toEqual(await other.list('p', ALL));
  });

  it('waits while another one writes, without blocking reads', async () => {
    const { folder, store } = world();
    await store.commit({ writes: [insert('a')] });
    const other = openRaw(folder);
    other.exec('BEGIN IMMEDIATE');
    let isDone = false;
    const commit = store.commit({ writes: [insert('b')] }).finally(() => {
      isDone = true;
    });
    expect(await store.read(at('a'))).toMatchObject({ version: 1 });
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    expect(isDone).toBe(false);
    other.exec('ROLLBACK');
    expect(await commit).toEqual({ ok: true });
  });
});

it.each(['cannot write', 'waits for another process'])(
  'leaves a dropped payload to the next process if this one %s',
  async (why) => {
    holdTimers();
    const { folder, database, store } = world();
    await store.commit({ writes: [withPayload('x', OUTSIDE)] });
    await remove(store, 'x');
    const other = openRaw(folder);
    if (why === 'cannot write') database.exec('PRAGMA query_only = ON');
    else other.exec('BEGIN IMMEDIATE');
    store.close();
    expect(database.isOpen).toBe(false);
    if (other.isTransaction) other.exec('ROLLBACK');
    expect(payloadsIn(other)).toHaveLength(1);
    openSqlite(heldNow, folder);
    vi.advanceTimersByTime(1_000);
    expect(payloadsIn(other)).toEqual([]);
  },
);

describe('commits of one turn of the event loop', () => {
  it('are one transaction, in which a refused batch is undone alone', async () => {
    const { database, store } = world();
    const commits = vi.spyOn(database, 'exec');
    const results = await Promise.all([
      store.commit({ writes: [insert('a')] }),
      store.commit({ writes: [insert('b'), insert('a')] }),
      store.commit({ writes: [insert('c')] }),
    ]);
    expect(results).toEqual([{ ok: true }, { ok: false, refused: 1 }, { ok: true }]);
    expect(commits.mock.calls.filter(([sql]) => sql === 'COMMIT')).toHaveLength(1);
    const items = await Promise.all(['a', 'b', 'c'].map((sort) => store.read(at(sort))));
    expect(items.map((item) => item?.version)).toEqual([1, undefined, 1]);
  });

  it('are tried one by one if the disk is too full for one of them', async () => {
    const { database, store } = world();
    await store.commit({ writes: [insert('a')] });
    database.exec(`PRAGMA max_page_count = ${Number(database.prepare('PRAGMA page_count').get()?.['page_count'])}`);
    const large = { writes: [withPayload('c', new Uint8Array(1_000_000))] };
    const results = await Promise.allSettled([
      store.commit({ writes: [insert('b')] }),
      store.commit(large),
      store.commit({ writes: [insert('d')] }),
    ]);
    const done = { status: 'fulfilled', value: { ok: true } };
    expect(results).toMatchObject([done, { status: 'rejected', reason: { name: 'unavailable' } }, done]);
    const items = await Promise.all(['b', 'c', 'd'].map((sort) => store.read(at(sort))));
    expect(items.map((item) => item?.version)).toEqual([1, undefined, 1]);
    database.exec('PRAGMA max_page_count = 100000');
    expect(await store.commit(large)).toEqual({ ok: true });
  });

  it('are made before the store closes', async () => {
    const { folder, store } = world();
    const commit = store.commit({ writes: [insert('a')] });
    store.close();
    expect(await commit).toEqual({ ok: true });
    expect(await openSqlite(heldNow, folder).read(at('a'))).toMatchObject({ version: 1 });
  });
});

/**
 * Starts a process that can open the stores in some folders, one after the other.
 * @returns the function that makes it open them. It returns the error, or an empty text
 */
async function opener(folders: readonly string[]): Promise<() => Promise<string>> {
  const database = join(import.meta.dirname, '../../../../lib/storage/sqlite/database.ts');
  const code = `
    import { openDatabase } from ${JSON.stringify(database)};
    process.stdin.once('data', () => {
      try { for (const folder of ${JSON.stringify(folders)}) openDatabase(folder).close(); }
      catch ({ message }) { process.stdout.write(message); }
      process.exit();
    });
    process.stdout.write('ready');
  `;
  const opening = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code]);
  onTestFinished(() => void opening.kill());
  await once(opening.stdout, 'data');
  return async () => {
    opening.stdin.write('open');
    return text(opening.stdout);
  };
}

it('is created by several processes at once', async () => {
  const folders = Array.from({ length: 40 }, () => temporaryFolder());
  const openers = await Promise.all([1, 2, 3].map(() => opener(folders)));
  expect(await Promise.all(openers.map((open) => open()))).toEqual(['', '', '']);
});

describe('a store that cannot be opened', () => {
  it('has another format, and is left as it is', async () => {
    for (const format of [8, 10]) {
      const folder = temporaryFolder();
      const path = join(folder, 'segue.db');
      const other = new DatabaseSync(path);
      other.exec(`CREATE TABLE things (id INTEGER) STRICT; PRAGMA user_version = ${format}`);
      other.close();
      const before = readFileSync(path);
      const message = new RegExp(`format ${format}, .* reads format 9; use the version of Segue that wrote it`);
      expect(() => openDatabase(folder)).toThrow(message);
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(readdirSync(folder)).toEqual(['segue.db']);
    }
  });

  it.each([
    ['is not a database', 'segue.db', '', /cannot be used: file is not a database/],
    ['is below a file', 'file', 'file/below', /cannot be used: .+; set SEGUE_DATA_DIR to another folder$/],
  ])('%s', (_, file, folder, message) => {
    const parent = temporaryFolder();
    writeFileSync(join(parent, file), 'long enough to be the header of a file '.repeat(100));
    const open = () => openDatabase(join(parent, folder));
    expect(open).toThrow(StoreNotOpened);
    expect(open).toThrow(message);
  });
});

describe('a failure', () => {
  it('is the problem unavailable, with its cause for the log', async () => {
    const store = openSqlite(heldNow);
    store.close();
    for (const call of [
      () => store.read(at('a')),
      () => store.list('p', ALL),
      () => store.readWithPayload(at('a')),
      () => store.commit({ writes: [insert('a')] }),
    ]) {
      const problem = await problemOf(call);
      expect(problem).toMatchObject({
        name: 'unavailable',
        message: 'Segue’s database is unavailable. Nothing was stored. Send the request again later.',
      });
      expect(problem.occurrence.retryAfterSeconds).toBeGreaterThan(0);
      expect(problem.cause).toBeInstanceOf(Error);
    }
  });

  it('leaves no part of a batch', async () => {
    const database = openRaw();
    const ids = ['x', 'y', 'x', 'z'];
    const store = new SqliteStorage(database, heldNow, { newId: () => ids.shift() ?? '' });
    await store.commit({ writes: [withPayload('a', OUTSIDE)] });
    // The third id is already used, so the batch fails after its first write.
    const writes = [withPayload('b', OUTSIDE), withPayload('c', OUTSIDE)];
    expect(await problemOf(() => store.commit({ writes }))).toMatchObject({ name: 'unavailable' });
    expect(await store.read(at('b'))).toBeUndefined();
    expect(payloadsIn(database)).toMatchObject([{ id: 'p/x' }]);
    expect(await store.readWithPayload(at('a'))).toMatchObject({ bytes: OUTSIDE });
    expect(await store.commit({ writes: [insert('b')] })).toEqual({ ok: true });
  });
});
