import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../lib/storage/sqlite/storage.ts';

/** Creates a folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'segue-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Opens the SQLite store of a folder until the test ends.
 * @param now the clock of everything that the test writes: the sweeper uses it to remove expired items
 */
export function openSqlite(now: () => number, folder: string = temporaryFolder()): SqliteStorage {
  const database = openDatabase(folder);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return new SqliteStorage(database, now);
}
