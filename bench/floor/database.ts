import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A database as durable as the store's, with one table of bytes. */
export interface FloorDatabase extends Disposable {
  insert(bytes: Uint8Array): number;
  read(id: number): Uint8Array | undefined;
}

/** Opens `floor.db` in a folder; every insert is on the disk when it returns. */
export function openFloorDatabase(folder: string): FloorDatabase {
  const database = new DatabaseSync(join(folder, 'floor.db'));
  database.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE IF NOT EXISTS payloads (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO payloads (bytes) VALUES (?)');
  const read = database.prepare('SELECT bytes FROM payloads WHERE id = ?');
  return {
    insert: (bytes) => Number(insert.run(bytes).lastInsertRowid),
    read(id) {
      const bytes = read.get(id)?.['bytes'];
      return bytes instanceof Uint8Array ? bytes : undefined;
    },
    [Symbol.dispose]: () => database.close(),
  };
}
