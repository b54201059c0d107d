import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { Problem } from '../../contract/problem.ts';
import type { Batch, Commit, Item, Key, Storage, Write } from '../port.ts';

type Row = Record<string, SQLOutputValue>;

/** The store on one machine: SQLite, with a write-ahead log that is on the disk before a commit is acknowledged. */
export class SqliteStorage implements Storage {
  readonly #database: DatabaseSync;
  readonly #statements: Record<keyof typeof SQL, StatementSync>;

  /** @param database as `openDatabase` opens it */
  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = {
      read: database.prepare(SQL.read),
      list: database.prepare(SQL.list),
      insert: database.prepare(SQL.insert),
      replace: database.prepare(SQL.replace),
      remove: database.prepare(SQL.remove),
      readPayload: database.prepare(SQL.readPayload),
      putPayload: database.prepare(SQL.putPayload),
      dropPayload: database.prepare(SQL.dropPayload),
    };
  }

  async read({ partition, sort }: Key): Promise<Item | undefined> {
    const row = this.#try(() => this.#statements.read.get(partition, sort));
    return row && itemOf(row);
  }

  async list(
    partition: string,
    { prefix, before, limit }: { prefix: string; before?: string | undefined; limit: number },
  ): Promise<readonly Item[]> {
    // No text that begins with the prefix is greater than the prefix followed by the last code point.
    const end = `${prefix}\u{10FFFF}`;
    return this.#try(() => this.#statements.list.all(partition, prefix, end, before ?? end, limit)).map(itemOf);
  }

  async readPayload(id: string): Promise<Uint8Array | undefined> {
    const bytes = this.#try(() => this.#statements.readPayload.get(id))?.['bytes'];
    return bytes instanceof Uint8Array ? bytes : undefined;
  }

  async commit({ writes, put = [], drop = [] }: Batch): Promise<Commit> {
    return this.#try(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        for (const { id, bytes } of put) this.#statements.putPayload.run(id, bytes);
        for (const [index, write] of writes.entries()) {
          if (this.#write(write) === 0) {
            this.#database.exec('ROLLBACK');
            return { ok: false, refused: index };
          }
        }
        for (const id of drop) this.#statements.dropPayload.run(id);
        this.#database.exec('COMMIT');
        return { ok: true };
      } catch (error) {
        // A full disk may have rolled back by itself already.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** Writes the log back into the file and closes it. */
  close(): void {
    this.#database.close();
  }

  /** @returns how many items were changed: 0 where the condition did not hold */
  #write(write: Write): number {
    const { partition, sort } = write.key;
    switch (write.kind) {
      case 'insert':
        return changes(this.#statements.insert.run(partition, sort, JSON.stringify(write.data)));
      case 'replace':
        return changes(this.#statements.replace.run(JSON.stringify(write.data), partition, sort, write.version));
      case 'remove':
        return changes(this.#statements.remove.run(partition, sort, write.version));
    }
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw new Problem('unavailable', { detail: 'The store cannot be used now.', retryAfterSeconds: 5 }, { cause });
    }
  }
}

const SQL = {
  read: 'SELECT partition, sort, version, data FROM items WHERE partition = ? AND sort = ?',
  list: 'SELECT partition, sort, version, data FROM items WHERE partition = ? AND sort >= ? AND sort < ? AND sort < ? ORDER BY sort DESC LIMIT ?',
  insert: 'INSERT OR IGNORE INTO items (partition, sort, version, data) VALUES (?, ?, 1, ?)',
  replace: 'UPDATE items SET data = ?, version = version + 1 WHERE partition = ? AND sort = ? AND version = ?',
  remove: 'DELETE FROM items WHERE partition = ? AND sort = ? AND version = ?',
  readPayload: 'SELECT bytes FROM payloads WHERE id = ?',
  putPayload: 'INSERT INTO payloads (id, bytes) VALUES (?, ?)',
  dropPayload: 'DELETE FROM payloads WHERE id = ?',
} as const;

function itemOf(row: Row): Item {
  return {
    partition: String(row['partition']),
    sort: String(row['sort']),
    version: Number(row['version']),
    data: JSON.parse(String(row['data'])),
  };
}

function changes(result: { changes: number | bigint }): number {
  return Number(result.changes);
}
