import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { temporaryFolder } from './floor.ts';

/** A store of Segue in a temporary folder, which is deleted at the end of the block. */
export interface OpenStore extends Disposable {
  readonly folder: string;
  readonly sqlite: SqliteStorage;
}

export function openStore(): OpenStore {
  const folder = temporaryFolder();
  const sqlite = new SqliteStorage(openDatabase(folder.path), Date.now);
  return {
    folder: folder.path,
    sqlite,
    [Symbol.dispose]() {
      sqlite.close();
      folder[Symbol.dispose]();
    },
  };
}
