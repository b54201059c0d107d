import { DEFAULT_FOLDER, openDatabase } from '../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../lib/storage/sqlite/storage.ts';
import type { Surroundings } from './program.ts';

/** The data folder: that of `npm start` with the same environment. */
export function dataFolder({ env }: Surroundings): string {
  return env['SEGUE_DATA_DIR'] || DEFAULT_FOLDER;
}

/** Works with the store of this machine, and closes it. */
export async function withStore<T>(
  surroundings: Surroundings,
  work: (storage: SqliteStorage) => Promise<T>,
): Promise<T> {
  const storage = new SqliteStorage(openDatabase(dataFolder(surroundings)));
  try {
    return await work(storage);
  } finally {
    storage.close();
  }
}
