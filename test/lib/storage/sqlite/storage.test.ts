import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase, StoreNotOpened } from '../../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../../lib/storage/sqlite/storage.ts';
import { heldNow, problemOf } from '../../support.ts';
import { openSqlite, temporaryFolder } from '../folder.ts';
import { describeStorage } from '../storage-suite.ts';

describeStorage('SQLite', () => openSqlite(heldNow));

const at = (sort: string) => ({ partition: 'p', sort });
const insert = (sort: string, data: unknown = { sort }) => ({ kind: 'insert', key: at(sort), data }) as const;
const withPayload = (sort: string, bytes: Uint8Array) => ({ ...insert(sort), bytes });

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

describe('a store in a folder', () => {
  it('is there again after it was closed', async () => {
    const folder = temporaryFolder();
    const first = openSqlite(heldNow, folder);
    await first.commit({ writes: [withPayload('a', Uint8Array.of(1, 2))] });
    first.close();
    const second = openSqlite(heldNow, folder);
    expect(await second.readWithPayload(at('a'))).toMatchObject({
      item: { version: 1, data: { sort: 'a' } },
      bytes: Uint8Array.of(1, 2),
    });
  });

  it('is made with its folder, which only the owner may enter', () => {
    const folder = join(temporaryFolder(), 'new/store');
    openSqlite(heldNow, folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('is for its owner’s eyes only, in a folder that others may enter too', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    await openSqlite(heldNow, folder).commit({ writes: [insert('a')] });
    const files = readdirSync(folder);
    expect(files.sort()).toEqual(['segue.db', 'segue.db-shm', 'segue.db-wal']);
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('has large pages, and writes ahead', () => {
    const database = openDatabase(temporaryFolder());
    onTestFinished(() => database.close());
    expect(database.prepare('PRAGMA page_size').get()).toEqual({ page_size: 16_384 });
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  it('is one for two who have it open: each sees the other’s commits, and conditions hold between them', async () => {
    const folder = temporaryFolder();
    const one = openSqlite(heldNow, folder);
    const other = openSqlite(heldNow, folder);
    const commits = Array.from({ length: 20 }, (_, n) =>
      [one, other][n % 2]?.commit({ writes: [insert(`${n >> 1}`)] }),
    );
    const made = (await Promise.all(commits)).filter((commit) => commit?.ok);
    expect(made).toHaveLength(10);
    expect(await one.list('p', { prefix: '', limit: 99, maxBytes: 1_000_000 })).toEqual(
      await other.list('p', { prefix: '', limit: 99, maxBytes: 1_000_000 }),
    );
  });

  it('that another connection is writing to is waited for, and nobody else waits along', async () => {
    const folder = temporaryFolder();
    const store = openSqlite(heldNow, folder);
    await store.commit({ writes: [insert('a')] });
    const other = openDatabase(folder);
    onTestFinished(() => other.close());
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

  it('is one for two processes', async () => {
    const folder = temporaryFolder();
    const store = openSqlite(heldNow, folder);
    const url = (path: string) =>
      JSON.stringify(new URL(`../../../../lib/storage/sqlite/${path}`, import.meta.url).href);
    const script = `
      import { openDatabase } from ${url('database.ts')};
      import { SqliteStorage } from ${url('storage.ts')};
      const store = new SqliteStorage(openDatabase(process.argv[1]));
      for (let n = 0; n < 50; n++) await store.commit({ writes: [{ kind: 'insert', key: { partition: 'p', sort: String(n) }, data: 'child' }] });
      store.close();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], { stdio: 'inherit' });
    const ended = once(child, 'exit');
    for (let n = 49; n >= 0; n--) await store.commit({ writes: [insert(String(n))] });
    expect(await ended).toEqual([0, null]);
    expect((await store.list('p', { prefix: '', limit: 99, maxBytes: 1_000_000 })).items).toHaveLength(50);
  });

  it('leaves nothing of a removed payload in its files', async () => {
    const folder = temporaryFolder();
    const canary = Buffer.from('canary '.repeat(10_000));
    const store = openSqlite(heldNow, folder);
    await store.commit({ writes: [withPayload('x', canary)] });
    await remove(store, 'x');
    store.close();
    expect(readFileSync(join(folder, 'segue.db')).includes('canary')).toBe(false);
  });

  it('leaves nothing of what was to be erased in its files, also where another process must do it', async () => {
    const folder = temporaryFolder();
    const store = openSqlite(heldNow, folder);
    await store.commit({ writes: [insert('x', 'canary '.repeat(1_000)), insert('y', 'canary '.repeat(1_000))] });
    const erased = (sort: string) => ({ kind: 'remove', key: at(sort), version: 1, erase: true }) as const;
    await store.commit({ writes: [erased('x')] });
    await store.commit({ writes: [erased('y')] });
    const left = openDatabase(folder);
    expect(left.prepare('SELECT id FROM dropped').all()).toHaveLength(2);
    left.close();
    store.close();
    expect(readFileSync(join(folder, 'segue.db')).includes('canary')).toBe(false);
  });

  it('removes a dropped payload while it is open', async () => {
    holdTimers();
    const folder = temporaryFolder();
    const store = openSqlite(heldNow, folder);
    const other = openDatabase(folder);
    onTestFinished(() => other.close());
    await store.commit({ writes: [withPayload('x', Buffer.from('x'))] });
    await remove(store, 'x');
    vi.advanceTimersByTime(1_000);
    expect(other.prepare('SELECT id FROM payloads').all()).toEqual([]);
    expect(other.prepare('SELECT id FROM dropped').all()).toEqual([]);
  });

  it('leaves nothing of what was removed in any of its files while it is open', async () => {
    holdTimers();
    const folder = temporaryFolder();
    const store = openSqlite(heldNow, folder);
    const item = insert('x', 'canary '.repeat(1_000));
    await store.commit({ writes: [{ ...item, bytes: Buffer.from('canary '.repeat(10_000)) }] });
    await remove(store, 'x');
    const files = () => readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    expect(files().some((bytes) => bytes.includes('canary'))).toBe(true);
    vi.advanceTimersByTime(1_000);
    expect(files().some((bytes) => bytes.includes('canary'))).toBe(false);
  });

  /** A store in which a payload was dropped and could not be removed yet, since nothing can be written any more. */
  async function stuckStore() {
    holdTimers();
    const folder = temporaryFolder();
    const database = openDatabase(folder);
    onTestFinished(() => {
      if (database.isOpen) database.close();
    });
    const store = new SqliteStorage(database, heldNow);
    await store.commit({ writes: [withPayload('x', Uint8Array.of(1))] });
    await remove(store, 'x');
    database.exec('PRAGMA query_only = ON');
    return { folder, database, store };
  }

  it('goes on removing when it can write again', async () => {
    const { database } = await stuckStore();
    vi.advanceTimersByTime(60_000);
    expect(database.prepare('SELECT id FROM payloads').all()).toHaveLength(1);
    database.exec('PRAGMA query_only = OFF');
    vi.advanceTimersByTime(10_000);
    expect(database.prepare('SELECT id FROM payloads').all()).toEqual([]);
  });

  it('is closed where nothing can be removed either, which is left to the next process', async () => {
    const { folder, database, store } = await stuckStore();
    store.close();
    expect(database.isOpen).toBe(false);
    openSqlite(heldNow, folder).close();
    const left = new DatabaseSync(join(folder, 'segue.db'));
    onTestFinished(() => left.close());
    expect(left.prepare('SELECT id FROM payloads').all()).toEqual([]);
  });

  it('removes what an earlier process had dropped and no time to remove', async () => {
    const folder = temporaryFolder();
    const earlier = openDatabase(folder);
    earlier.exec("INSERT INTO payloads VALUES ('x', x'00'), ('y', x'01'); INSERT INTO dropped VALUES ('x')");
    onTestFinished(() => earlier.close());
    holdTimers();
    openSqlite(heldNow, folder);
    vi.advanceTimersByTime(1_000);
    expect(earlier.prepare('SELECT id FROM payloads').all()).toMatchObject([{ id: 'y' }]);
  });
});

describe('commits of one turn of the event loop', () => {
  it('are one transaction, in which a refused batch is undone alone', async () => {
    const folder = temporaryFolder();
    const database = openDatabase(folder);
    const store = new SqliteStorage(database, heldNow);
    onTestFinished(() => store.close());
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

  it('are tried one by one if one of them fails', async () => {
    const database = openDatabase(temporaryFolder());
    const store = new SqliteStorage(database, heldNow);
    onTestFinished(() => store.close());
    await store.commit({ writes: [insert('a')] });
    database.exec(`PRAGMA max_page_count = ${Number(database.prepare('PRAGMA page_count').get()?.['page_count'])}`);
    const [small, large, other] = await Promise.allSettled([
      store.commit({ writes: [insert('b')] }),
      store.commit({ writes: [withPayload('c', new Uint8Array(1_000_000))] }),
      store.commit({ writes: [insert('d')] }),
    ]);
    expect([small, other]).toEqual([
      { status: 'fulfilled', value: { ok: true } },
      { status: 'fulfilled', value: { ok: true } },
    ]);
    expect(large).toMatchObject({ status: 'rejected', reason: { name: 'unavailable' } });
    const items = await Promise.all(['b', 'c', 'd'].map((sort) => store.read(at(sort))));
    expect(items.map((item) => item?.version)).toEqual([1, undefined, 1]);
  });

  it('are made before the store closes', async () => {
    const folder = temporaryFolder();
    const store = openSqlite(heldNow, folder);
    const commit = store.commit({ writes: [insert('a')] });
    store.close();
    expect(await commit).toEqual({ ok: true });
    expect(await openSqlite(heldNow, folder).read(at('a'))).toMatchObject({ version: 1 });
  });
});

describe('a store that cannot be opened', () => {
  it.each<[string, (folder: string) => string, RegExp]>([
    ...[2, 4].map((format): [string, (folder: string) => string, RegExp] => [
      `has format ${format}`,
      (folder) => {
        const database = openDatabase(folder);
        database.exec(`PRAGMA user_version = ${format}`);
        database.close();
        return folder;
      },
      new RegExp(`format ${format}, .* reads format 3; use the version of Segue that wrote it`),
    ]),
    [
      'is no database',
      (folder) => {
        writeFileSync(join(folder, 'segue.db'), 'something else, long enough to be looked at '.repeat(100));
        return folder;
      },
      /cannot be used: file is not a database/,
    ],
    [
      'has a file in the place of its folder',
      (folder) => {
        writeFileSync(join(folder, 'file'), '');
        return join(folder, 'file');
      },
      /cannot be used: /,
    ],
  ])('%s, and says so', (_, prepare, reason) => {
    const folder = prepare(temporaryFolder());
    expect(() => openDatabase(folder)).toThrow(StoreNotOpened);
    expect(() => openDatabase(folder)).toThrow(reason);
  });

  it('is not changed in a byte where a newer version wrote it', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'segue.db');
    const newer = new DatabaseSync(path);
    newer.exec('CREATE TABLE things (id INTEGER) STRICT; PRAGMA user_version = 4');
    newer.close();
    const before = readFileSync(path);
    expect(() => openDatabase(folder)).toThrow(StoreNotOpened);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['segue.db']);
  });

  it('keeps what it has', async () => {
    const folder = temporaryFolder();
    const store = openSqlite(heldNow, folder);
    await store.commit({ writes: [insert('a')] });
    store.close();
    const raw = new DatabaseSync(join(folder, 'segue.db'));
    raw.exec('PRAGMA user_version = 4');
    expect(() => openDatabase(folder)).toThrow(StoreNotOpened);
    raw.exec('PRAGMA user_version = 3');
    raw.close();
    expect(await openSqlite(heldNow, folder).read(at('a'))).toMatchObject({ data: { sort: 'a' } });
  });
});

describe('a failure', () => {
  it('of every method is the problem unavailable, with its cause for the log alone', async () => {
    const store = openSqlite(heldNow);
    store.close();
    const calls = [
      () => store.read(at('a')),
      () => store.list('p', { prefix: '', limit: 1, maxBytes: 1_000_000 }),
      () => store.readWithPayload(at('a')),
      () => store.commit({ writes: [insert('a')] }),
    ];
    for (const call of calls) {
      const problem = await problemOf(call);
      expect(problem).toMatchObject({ name: 'unavailable', message: 'The store cannot be used now.' });
      expect(problem.occurrence.retryAfterSeconds).toBeGreaterThan(0);
      expect(problem.cause).toBeInstanceOf(Error);
    }
  });

  it('of a commit leaves nothing half done, and the next one works', async () => {
    const database = openDatabase(temporaryFolder());
    onTestFinished(() => database.close());
    const ids = ['x', 'y', 'x', 'z'];
    const store = new SqliteStorage(database, heldNow, () => ids.shift() ?? '');
    await store.commit({ writes: [withPayload('a', Uint8Array.of(1))] });
    // A payload is written once: the second under its name fails after the first of the batch was put.
    const writes = [withPayload('b', Uint8Array.of(2)), withPayload('c', Uint8Array.of(3))];
    expect(await problemOf(() => store.commit({ writes }))).toMatchObject({ name: 'unavailable' });
    expect(await store.read(at('b'))).toBeUndefined();
    expect(database.prepare('SELECT id FROM payloads').all()).toMatchObject([{ id: 'p/x' }]);
    expect(await store.readWithPayload(at('a'))).toMatchObject({ bytes: Uint8Array.of(1) });
    expect(await store.commit({ writes: [insert('b')] })).toEqual({ ok: true });
  });

  it('of a disk that takes no more leaves nothing half done', async () => {
    const database = openDatabase(temporaryFolder());
    onTestFinished(() => database.close());
    const store = new SqliteStorage(database, heldNow);
    await store.commit({ writes: [insert('a')] });
    database.exec(`PRAGMA max_page_count = ${Number(database.prepare('PRAGMA page_count').get()?.['page_count'])}`);
    const large = { writes: [withPayload('b', new Uint8Array(1_000_000))] };
    expect(await problemOf(() => store.commit(large))).toMatchObject({ name: 'unavailable' });
    expect(await store.read(at('b'))).toBeUndefined();
    database.exec('PRAGMA max_page_count = 100000');
    expect(await store.commit(large)).toEqual({ ok: true });
  });

  it('of a store that may only be read is told at the commit', async () => {
    const folder = temporaryFolder();
    const writer = openSqlite(heldNow, folder);
    await writer.commit({ writes: [insert('a')] });
    const database = new DatabaseSync(join(folder, 'segue.db'), { readOnly: true });
    onTestFinished(() => database.close());
    const store = new SqliteStorage(database, heldNow);
    expect(await store.read(at('a'))).toBeDefined();
    expect(await problemOf(() => store.commit({ writes: [insert('b')] }))).toMatchObject({ name: 'unavailable' });
    expect(await writer.read(at('b'))).toBeUndefined();
  });

  it('to sweep at the end, since another process is writing, leaves it to whoever comes next', async () => {
    const folder = temporaryFolder();
    const database = openDatabase(folder);
    database.exec('PRAGMA busy_timeout = 0');
    const store = new SqliteStorage(database, heldNow);
    await store.commit({ writes: [withPayload('a', Uint8Array.of(1))] });
    await remove(store, 'a');
    const other = new DatabaseSync(join(folder, 'segue.db'));
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    store.close();
    expect(database.isOpen).toBe(false);
    other.exec('ROLLBACK');
    openSqlite(heldNow, folder).close();
    expect(other.prepare('SELECT count(*) AS count FROM payloads').get()).toEqual({ count: 0 });
  });
});
