import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import type { StartOptions } from '../../support/gateway.ts';

/** What outlives the gateways that are killed. */
export interface KillStore {
  /** How a gateway is started on it. */
  readonly start: StartOptions;
  /** How many segments a large project has. */
  readonly large: number;
  /** Lets the time pass for which killed processes still hold the keys of their requests. Nobody may be at work on it. */
  endLeases(): Promise<void>;
  /** Requires the store to hold the payload of each project, and nothing else. Nobody may be at work on it. */
  requireNoOrphans(): Promise<void>;
  remove(): Promise<void>;
}

const IdRow = z.object({ id: z.string() });

/** A store on the disk. */
export async function sqliteStore(): Promise<KillStore> {
  const folder = await mkdtemp(join(tmpdir(), 'segue-kills-'));
  return {
    start: { env: { SEGUE_DATA_DIR: folder } },
    large: 1_000,
    endLeases: async () => endLeases(folder),
    requireNoOrphans: async () => requireNoOrphans(folder),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Reads the database of a data folder, or writes it if nobody else has it open. */
export function inDatabase<T>(folder: string, work: (database: DatabaseSync) => T, readOnly = true): T {
  const database = new DatabaseSync(join(folder, 'segue.db'), { readOnly, timeout: 5_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Requires a store that nobody has open to hold the payload of each project, and nothing else. */
export function requireNoOrphans(folder: string): void {
  inDatabase(folder, (database) => {
    const idsOf = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => IdRow.parse(row).id);
    assert.deepEqual(
      idsOf('SELECT id FROM payloads ORDER BY id'),
      idsOf("SELECT payload_id AS id FROM items WHERE sort LIKE 'project/%' ORDER BY payload_id"),
    );
    assert.deepEqual(idsOf('SELECT id FROM dropped'), []);
  });
}

function endLeases(folder: string): void {
  const endAll = `UPDATE items SET data = json_set(data, '$.leaseEndsAtMs', 0)
    WHERE sort LIKE 'request/%' AND json_type(data, '$.result') IS NULL`;
  inDatabase(folder, (database) => database.exec(endAll), false);
}
