import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';

const IdRow = z.object({ id: z.string() });

/** Opens the database of a data folder. It may write only if no process has it open. */
export function inDatabase<T>(folder: string, work: (database: DatabaseSync) => T, readOnly = true): T {
  const database = new DatabaseSync(join(folder, 'segue.db'), { readOnly, timeout: 5_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** The translations whose project does not exist. The id of a project is padded to 16 digits. */
const TRANSLATIONS_OF_NOBODY = `SELECT sort AS id FROM items AS own WHERE sort LIKE 'translation/%' AND NOT EXISTS (
  SELECT 1 FROM items WHERE partition = own.partition AND sort = 'project/' || substr(own.sort, 13, 16))`;

/**
 * Requires that a store holds the payloads of projects and their translations, and nothing else. No process may have it
 * open.
 */
export function requireNoOrphans(folder: string): void {
  inDatabase(folder, (database) => {
    const idsOf = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => IdRow.parse(row).id);
    assert.deepEqual(
      idsOf('SELECT id FROM payloads ORDER BY id'),
      idsOf(
        `SELECT payload_id AS id FROM items WHERE bytes IS NULL AND (sort LIKE 'project/%' OR sort LIKE 'translation/%')
          ORDER BY payload_id`,
      ),
    );
    assert.deepEqual(idsOf(TRANSLATIONS_OF_NOBODY), []);
    assert.deepEqual(idsOf('SELECT id FROM dropped'), []);
  });
}

/** Ends the leases of killed processes. No process may have the store open. */
export function endLeases(folder: string): void {
  const endAll = `UPDATE items SET data = json_set(data, '$.leaseEndsAtMs', 0)
    WHERE sort LIKE 'request/%' AND json_type(data, '$.result') IS NULL`;
  inDatabase(folder, (database) => database.exec(endAll), false);
}
