import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';

const FILE = 'segue.db';
const IdRow = z.object({ id: z.string() });

/** Requires a store that nobody has open to hold the payload of each project, and nothing else. */
export function requireNoOrphans(folder: string): void {
  const database = new DatabaseSync(join(folder, FILE), { readOnly: true });
  try {
    const payloads = database.prepare('SELECT id FROM payloads ORDER BY id').all();
    const projects = database
      .prepare("SELECT payload_id AS id FROM items WHERE sort LIKE 'project/%' ORDER BY payload_id")
      .all();
    assert.deepEqual(
      payloads.map((row) => IdRow.parse(row).id),
      projects.map((row) => IdRow.parse(row).id),
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
