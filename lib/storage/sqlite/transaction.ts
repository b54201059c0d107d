import type { DatabaseSync } from 'node:sqlite';

/** SQLite's code for a store that another connection is writing to, of which there are kinds. */
const SQLITE_BUSY = 5;

/** Whether work failed because another connection is at work: it may be tried again. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

/**
 * Does work in one transaction, which other connections wait for.
 * @param keeps whether the changes are to stay, by what the work gave; all are undone where not, and where it throws
 */
export function transaction<T>(database: DatabaseSync, work: () => T, keeps: (result: T) => boolean = () => true): T {
  try {
    database.exec('BEGIN IMMEDIATE');
    const result = work();
    database.exec(keeps(result) ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    // It may not have begun, and a full disk may have rolled back by itself already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
