import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';

/** What a store holds. */
export interface Holdings {
  /** How many items there are by the first part of their sort key. */
  readonly items: Readonly<Record<string, number>>;
  /** Bytes of their keys and data. */
  readonly itemBytes: number;
  readonly payloads: number;
  readonly dropped: number;
  /** Bytes of the pages that hold something. */
  readonly usedBytes: number;
  readonly fileBytes: number;
  readonly logBytes: number;
}

const Kind = z.object({ kind: z.string(), count: z.int(), bytes: z.int() });
const Numbers = z.record(z.string(), z.int());

/** Looks into a store that a gateway has open. */
export function holdingsOf(folder: string): Holdings {
  const path = join(folder, 'segue.db');
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const numberOf = (sql: string) => Object.values(Numbers.parse(database.prepare(sql).get()))[0] ?? 0;
  try {
    const kinds = database
      .prepare(KINDS)
      .all()
      .map((row) => Kind.parse(row));
    const used = numberOf('PRAGMA page_count') - numberOf('PRAGMA freelist_count');
    return {
      items: Object.fromEntries(kinds.map(({ kind, count }) => [kind, count])),
      itemBytes: kinds.reduce((sum, { bytes }) => sum + bytes, 0),
      payloads: numberOf('SELECT count(*) FROM payloads'),
      dropped: numberOf('SELECT count(*) FROM dropped'),
      usedBytes: used * numberOf('PRAGMA page_size'),
      fileBytes: statSync(path).size,
      logBytes: statSync(`${path}-wal`).size,
    };
  } finally {
    database.close();
  }
}

const KINDS = `
  SELECT substr(sort, 1, instr(sort, '/')) AS kind, count(*) AS count,
    sum(length(partition) + length(sort) + length(data)) AS bytes
  FROM items GROUP BY kind`;
