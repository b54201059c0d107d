import { randomUUIDv7 } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { storeUnavailable } from '../../contract/failures.ts';
import type { Problem } from '../../contract/problem.ts';
import { retry } from '../../service/retry.ts';
import {
  type Batch,
  type ByteRange,
  type Commit,
  firstVersionOf,
  INSIDE,
  type Item,
  type ItemPage,
  type ItemWithPayload,
  isInside,
  type Key,
  type ListRange,
  type Storage,
  type Write,
} from '../port.ts';
import { decodeData, encodeData } from '../record.ts';
import { isBusy, isFull } from './database.ts';
import type { Reserve } from './reserve.ts';
import { Room } from './room.ts';
import { Sweeper } from './sweeper.ts';

/** The retries of a commit while another connection writes: for 5 seconds, every 10 milliseconds. */
const BUSY = { firstMs: 10, longestMs: 10, maxAttempts: 500, sleep: (ms: number) => setTimeout(ms) };

type Row = Record<string, SQLOutputValue>;

/** A batch whose commit is pending. */
interface PendingCommit extends PromiseWithResolvers<Commit> {
  readonly batch: Batch;
}

interface SqliteOptions {
  /** Makes a globally unique id. Default: a UUID that begins with the time, so that new rows are together. */
  readonly newId?: () => string;
  /** The disk space for changes that must be possible on a full disk. Default: none. */
  readonly reserve?: Reserve;
}

/** The store on one machine, in SQLite. A commit ends only after its data is on the disk, in the write-ahead log. */
export class SqliteStorage implements Storage {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #room: Room;
  readonly #sweeper: Sweeper;
  readonly #newId: () => string;
  readonly #pending: PendingCommit[] = [];

  /**
   * Creates the store, and starts its sweeper.
   * @param database the database from `openDatabase`
   * @param now returns the current time, in milliseconds since 1970
   */
  constructor(database: DatabaseSync, now: () => number, { newId = randomUUIDv7, reserve }: SqliteOptions = {}) {
    this.#database = database;
    this.#newId = newId;
    this.#statements = statementsOf(database);
    this.#room = new Room(database, reserve);
    this.#sweeper = new Sweeper(database, now, { room: this.#room });
  }

  async read({ partition, sort }: Key): Promise<Item | undefined> {
    const row = this.#try(() => this.#statements.read.get(partition, sort));
    return row && itemOf(row);
  }

  async list(partition: string, { prefix, before, limit, maxBytes }: ListRange): Promise<ItemPage> {
    // The prefix followed by the last code point is the upper bound of all texts that start with the prefix.
    const end = `${prefix}\u{10FFFF}`;
    return this.#try(() => {
      const items: Item[] = [];
      let bytes = 0;
      for (const row of this.#statements.list.iterate(partition, prefix, end, before ?? end, limit + 1)) {
        if (items.length === limit || (items.length > 0 && bytes >= maxBytes)) return { items, more: true };
        const item = itemOf(row);
        bytes += Buffer.byteLength(String(row['data'])) + (item.bytes?.length ?? 0);
        items.push(item);
      }
      return { items, more: false };
    });
  }

  async readWithPayload({ partition, sort }: Key): Promise<ItemWithPayload | undefined> {
    const row = this.#try(() => this.#statements.readWithPayload.get(partition, sort));
    if (!row || row['payload_id'] === null) return undefined;
    const item = itemOf(row);
    const bytes = item.bytes ?? row['outside'];
    if (!(bytes instanceof Uint8Array)) throw new RangeError('The store has lost the payload of an item');
    return { item, bytes };
  }

  async readPayloadRange({ payload, bytes: inside }: Item, { from, to }: ByteRange): Promise<Uint8Array | undefined> {
    if (inside || payload === undefined) return inside?.subarray(from, to);
    // SQLite counts the bytes from 1. A dropped payload belongs to no item any more, even while it has its bytes.
    const bytes = this.#try(() => this.#statements.readRange.get(from + 1, to - from, payload))?.['bytes'];
    return bytes instanceof Uint8Array ? bytes : undefined;
  }

  /**
   * Commits a batch. All batches of one turn of the event loop share a transaction, so that SQLite syncs the disk only
   * once.
   */
  commit(batch: Batch): Promise<Commit> {
    const commit = Promise.withResolvers<Commit>();
    this.#pending.push({ batch, ...commit });
    if (this.#pending.length === 1) setImmediate(() => void this.#commitPending());
    return commit.promise;
  }

  async #commitPending(): Promise<void> {
    const pending = this.#pending.splice(0);
    try {
      await this.#retryWhileBusy(() => this.#commitTogether(pending));
    } catch (error) {
      if (pending.length === 1) pending[0]?.reject(error);
      // One batch may have caused the error, for example because it is too large for the disk. So commit each batch
      // alone.
      else for (const one of pending) await this.#retryWhileBusy(() => this.#commitTogether([one])).catch(one.reject);
    }
    if (pending.some(({ batch }) => batch.writes.some(leavesBytes))) this.#sweeper.wake();
  }

  /**
   * Applies batches in one transaction, and settles their promises. Undoes only a refused batch, but all after an
   * error.
   */
  #commitTogether(pending: readonly PendingCommit[]): void {
    const batches = pending.map(({ batch }) => batch);
    const work = () => batches.map((batch) => this.#applyOrUndo(batch));
    const commits = this.#room.transaction(work, payloadBytesOf(batches));
    for (const [index, commit] of commits.entries()) pending[index]?.resolve(commit);
  }

  #applyOrUndo({ writes }: Batch): Commit {
    this.#statements.savepoint.run();
    const commit = this.#apply(writes);
    if (!commit.ok) this.#statements.rollback.run();
    this.#statements.release.run();
    return commit;
  }

  /** Commits the pending batches, removes dropped payloads, and closes the database. */
  close(): void {
    const pending = this.#pending.splice(0);
    try {
      if (pending.length > 0) this.#commitTogether(pending);
    } catch (cause) {
      for (const { reject } of pending) reject(storeUnavailable(cause));
    }
    this.#sweeper.finish();
    this.#database.close();
  }

  #apply(writes: readonly Write[]): Commit {
    const refused = writes.findIndex((write) => this.#write(write) === 0);
    return refused === -1 ? { ok: true } : { ok: false, refused };
  }

  /** Applies one write. Returns the number of affected items, which is 0 if the condition did not hold. */
  #write(write: Write): number {
    const { partition, sort } = write.key;
    if ('drops' in write && write.drops !== undefined) this.#statements.dropPayload.run(write.drops);
    switch (write.kind) {
      case 'insert': {
        const content = [firstVersionOf(write), ...contentOf(write), ...this.#putPayload(write)];
        const expiredAtMs = write.replacesExpiredAtMs ?? null;
        return changes(this.#statements.insert.run(partition, sort, ...content, expiredAtMs));
      }
      case 'put': {
        const content = [firstVersionOf(write), ...contentOf(write)] as const;
        return changes(this.#statements.put.run(partition, sort, ...content, write.maxVersion ?? null));
      }
      case 'replace': {
        const content = [...contentOf(write), ...this.#putPayload(write)];
        return changes(this.#statements.replace.run(...content, partition, sort, write.version));
      }
      case 'remove':
        // Each row in the table `dropped` makes the sweeper rewrite the file. No payload has this name.
        if (write.erase) this.#statements.dropPayload.run(INSIDE);
        return changes(this.#statements.remove.run(partition, sort, write.version));
      case 'check':
        return this.#statements.check.get(partition, sort, write.version) ? 1 : 0;
    }
  }

  /** Stores the payload of a write. Returns its name, and its bytes if they belong into the item. */
  #putPayload({ key, bytes }: { readonly key: Key; readonly bytes?: Uint8Array }) {
    if (!bytes) return [null, null] as const;
    if (isInside(bytes)) return [INSIDE, bytes] as const;
    const id = `${key.partition}/${this.#newId()}`;
    this.#statements.putPayload.run(id, bytes);
    return [id, null] as const;
  }

  /** Runs work, and repeats it while another connection is writing. Does not block the event loop between attempts. */
  async #retryWhileBusy<T>(work: () => T): Promise<T> {
    const attempts = retry(BUSY);
    for (;;) {
      try {
        return work();
      } catch (cause) {
        if (!isBusy(cause) || !(await attempts.pause())) throw unavailableBy(cause);
      }
    }
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw unavailableBy(cause);
    }
  }
}

function unavailableBy(cause: unknown): Problem {
  return storeUnavailable(cause, isFull(cause) ? 'Segue’s disk is full: free space on it.' : undefined);
}

/** Returns how many bytes of payloads batches add; `undefined` if all of them may use the reserve of a full disk. */
function payloadBytesOf(batches: readonly Batch[]): number | undefined {
  const others = batches.filter(({ usesReserve, writes }) => !usesReserve && !writes.every(addsNothing));
  if (others.length === 0) return undefined;
  const payloads = others.flatMap(({ writes }) =>
    writes.flatMap((write) => ('bytes' in write ? (write.bytes ?? []) : [])),
  );
  return payloads.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function addsNothing({ kind }: Write): boolean {
  return kind === 'remove' || kind === 'check';
}

/** Whether a write leaves work for the sweeper: a dropped payload, or an erased item. */
function leavesBytes(write: Write): boolean {
  return ('drops' in write && write.drops !== undefined) || (write.kind === 'remove' && write.erase === true);
}

const COLUMNS = 'partition, sort, version, data, expires_at_ms, payload_id, items.bytes AS bytes';

function statementsOf(database: DatabaseSync) {
  return {
    read: database.prepare(`SELECT ${COLUMNS} FROM items WHERE partition = ? AND sort = ?`),
    readWithPayload: database.prepare(
      `SELECT ${COLUMNS}, payloads.bytes AS outside FROM items LEFT JOIN payloads ON id = payload_id
       WHERE partition = ? AND sort = ?`,
    ),
    readRange: database.prepare(
      `SELECT substr(bytes, ?, ?) AS bytes FROM payloads
       WHERE id = ? AND NOT EXISTS (SELECT 1 FROM dropped WHERE dropped.id = payloads.id)`,
    ),
    list: database.prepare(
      `SELECT ${COLUMNS} FROM items
       WHERE partition = ? AND sort >= ? AND sort < ? AND sort < ? ORDER BY sort DESC LIMIT ?`,
    ),
    insert: database.prepare(
      `INSERT INTO items (partition, sort, version, data, expires_at_ms, payload_id, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET data = excluded.data, expires_at_ms = excluded.expires_at_ms, version = version + 1,
         payload_id = excluded.payload_id, bytes = excluded.bytes
       WHERE expires_at_ms <= ?`,
    ),
    put: database.prepare(
      `INSERT INTO items (partition, sort, version, data, expires_at_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET data = excluded.data, expires_at_ms = excluded.expires_at_ms, version = version + 1,
         payload_id = NULL, bytes = NULL
       WHERE version < ifnull(?, version + 1)`,
    ),
    replace: database.prepare(
      `UPDATE items SET data = ?, expires_at_ms = ?, payload_id = ?, bytes = ?, version = version + 1
       WHERE partition = ? AND sort = ? AND version = ?`,
    ),
    remove: database.prepare('DELETE FROM items WHERE partition = ? AND sort = ? AND version = ?'),
    check: database.prepare('SELECT 1 FROM items WHERE partition = ? AND sort = ? AND version = ?'),
    putPayload: database.prepare('INSERT INTO payloads (id, bytes) VALUES (?, ?)'),
    dropPayload: database.prepare('INSERT OR IGNORE INTO dropped (id) VALUES (?)'),
    savepoint: database.prepare('SAVEPOINT batch'),
    rollback: database.prepare('ROLLBACK TO batch'),
    release: database.prepare('RELEASE batch'),
  };
}

function itemOf(row: Row): Item {
  return {
    partition: String(row['partition']),
    sort: String(row['sort']),
    version: Number(row['version']),
    data: decodeData(String(row['data'])),
    ...(row['expires_at_ms'] !== null && { expiresAtMs: Number(row['expires_at_ms']) }),
    ...(row['payload_id'] !== null && { payload: String(row['payload_id']) }),
    ...(row['bytes'] instanceof Uint8Array && { bytes: row['bytes'] }),
  };
}

function contentOf({ data, expiresAtMs = null }: { data: unknown; expiresAtMs?: number | null }) {
  return [encodeData(data), expiresAtMs] as const;
}

function changes(result: { changes: number | bigint }): number {
  return Number(result.changes);
}
