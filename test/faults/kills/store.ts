import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { ProjectRecord } from '../../../lib/hosted/records.ts';

const FILE = 'segue.db';
const IdRow = z.object({ id: z.string() });
const DataRow = z.object({ data: z.string() });

/** Requires a store that nobody has open to hold the payload of each project, and nothing else. */
export function requireNoOrphans(folder: string): void {
  const database = new DatabaseSync(join(folder, FILE), { readOnly: true });
  try {
    const payloads = database.prepare('SELECT id FROM payloads ORDER BY id').all();
    const projects = database.prepare("SELECT data FROM items WHERE sort LIKE 'project/%'").all();
    const wanted = projects.map((row) => ProjectRecord.parse(JSON.parse(DataRow.parse(row).data)).payload.id);
    assert.deepEqual(
      payloads.map((row) => IdRow.parse(row).id),
      wanted.sort(),
    );
    assert.deepEqual(database.prepare('SELECT id FROM dropped').all(), []);
  } finally {
    database.close();
  }
}

/** Lets the time pass for which killed processes still hold the keys of their requests. Nobody may have the store open. */
export function endLeases(folder: string): void {
  const database = new DatabaseSync(join(folder, FILE));
  try {
    database.exec(
      `UPDATE items SET data = json_set(data, '$.leaseEndsAtMs', 0)
       WHERE sort LIKE 'request/%' AND json_type(data, '$.result') IS NULL`,
    );
  } finally {
    database.close();
  }
}
