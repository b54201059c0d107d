import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { Sweeper } from '../../lib/storage/sqlite/sweeper.ts';
import { EVENTUALLY } from '../support/eventually.ts';

const ROUNDS = 4_000;
/** Returns keys in no order, so that new rows come between others. */
const keyOf = (n: number) => ({ partition: 'company/acme', sort: `project/${(n * 7_919) % 10_007}` });

/** Creates and deletes rows of many sizes in turn, so that SQLite moves rows between pages. */
async function churn(storage: SqliteStorage): Promise<Set<number>> {
  const live = new Set<number>();
  const sizes = fc.sample(fc.tuple(fc.integer({ min: 100, max: 3_000 }), fc.nat(999)), { numRuns: ROUNDS, seed: 1 });
  for (const [n, [size, chance]] of sizes.entries()) {
    const text = `canary-${String(n).padStart(6, '0')}-`.padEnd(size, '.');
    await storage.commit({ writes: [{ kind: 'insert', key: keyOf(n), data: { text }, bytes: Buffer.from(text) }] });
    live.add(n);
    const victim = [...live][chance % live.size];
    if (chance % 10 < 7 && victim !== undefined) {
      const key = keyOf(victim);
      const item = await storage.read(key);
      await storage.commit({ writes: [{ kind: 'remove', key, version: 1, drops: item?.payload }] });
      live.delete(victim);
    }
  }
  return live;
}

/** Returns the rows whose text is anywhere in the files of the store. */
function found(folder: string): Set<number> {
  const all = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name)))).toString('latin1');
  return new Set([...all.matchAll(/canary-(\d{6})/g)].map(([, n]) => Number(n)));
}

it('SQLite leaves copies of rows when it moves them, and the sweeper removes them by rewriting the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'segue-stale-'));
  const database = openDatabase(folder);
  database.exec('PRAGMA synchronous = OFF');
  try {
    const live = await churn(new SqliteStorage(database, Date.now));
    await vi.waitFor(() => expect(database.prepare('SELECT id FROM dropped').all()).toEqual([]), EVENTUALLY);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    // Without stale copies, the check below would prove nothing.
    expect([...found(folder)].filter((n) => !live.has(n)).length).toBeGreaterThan(0);
    new Sweeper(database, Date.now, { rewriteAfterMs: 1 });
    await vi.waitFor(() => expect(found(folder)).toEqual(live), EVENTUALLY);
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
