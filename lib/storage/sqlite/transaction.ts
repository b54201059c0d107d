import type { DatabaseSync } from 'node:sqlite';

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
