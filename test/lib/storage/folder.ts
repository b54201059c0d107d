import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../lib/storage/sqlite/storage.ts';

/** A folder that is there as long as the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'segue-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Opens the SQLite store of a folder for as long as the test runs.
 * @param now the clock of everything that the test writes into it: the sweeper removes what has expired by it
 */
export function openSqlite(now: () => number, folder: string = temporaryFolder()): SqliteStorage {
  const database = openDatabase(folder);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return new SqliteStorage(database, now);
}
