import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A database with one table of bytes. It is as durable as Segue's store. */
export interface FloorDatabase extends Disposable {
  insert(bytes: Uint8Array): number;
  read(id: number): Uint8Array | undefined;
}

/** Opens the database `floor.db` in a folder. When an insert returns, its bytes are on the disk. */
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
