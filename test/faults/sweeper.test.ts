import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { Sweeper } from '../../lib/storage/sqlite/sweeper.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { SqliteWorld } from './sqlite-world.ts';
import { at, type Moment, throughSteps } from './sweeper/steps.ts';
import { remains, type Unswept, unswept } from './sweeper/store.ts';

let world: SqliteWorld;
let store: Unswept;
let steps: number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  world = new SqliteWorld();
  store = await unswept(world);
  steps = countSteps();
  vi.useRealTimers();
});
afterAll(() => world.close());

/** Longer than a sweep takes, and than a sweeper waits after one that failed. */
const SWEPT_MS = 11_000;

const swept = () => ({
  items: ['custom-id', 'project'],
  payloads: [store.payloadId],
  dropped: [],
  traces: 0,
  canaries: [],
});

/** Every step that sweeping the store takes. */
function countSteps(): number {
  const database = openDatabase(store.copy());
  let count = 0;
  new Sweeper(
    throughSteps(database, (_, work) => {
      count++;
      return work();
    }),
    () => store.nowMs,
  );
  vi.advanceTimersByTime(1_000);
  database.close();
  return count;
}

function moments(): Moment[] {
  return Array.from({ length: steps }, (_, n) => [
    { step: n + 1, when: 'before' as const },
    { step: n + 1, when: 'after' as const },
  ]).flat();
}

describe('a sweeper', () => {
  it('has much to do in this store', () => {
    const folder = store.copy();
    const database = openDatabase(folder);
    const { traces, canaries, dropped, items } = remains(database, folder, store);
    expect(traces).toBeGreaterThan(1_000);
    expect(canaries).toHaveLength(4);
    expect(dropped).toHaveLength(2);
    expect(items).toHaveLength(8);
    expect(steps).toBeGreaterThan(12);
    database.close();
  });

  it('leaves nothing of it, in whichever step it fails: it tries again', () => {
    for (const moment of moments()) {
      const folder = store.copy();
      const database = openDatabase(folder);
      let failed = false;
      const failing = throughSteps(
        database,
        at(moment, () => {
          failed = true;
          throw new Error('A planted fault');
        }),
      );
      new Sweeper(failing, () => store.nowMs);
      vi.advanceTimersByTime(SWEPT_MS);
      expect({ moment, failed, ...remains(database, folder, store) }).toEqual({ moment, failed: true, ...swept() });
      database.close();
    }
  });

  it(
    'leaves nothing of it, in whichever step its process is killed: the next one goes on',
    async () => {
      for (const { step, when } of moments()) {
        const folder = store.copy();
        const args = ['test/faults/sweeper/child.ts', folder, `${store.nowMs}`, `${step}`, when];
        const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { stdio: 'inherit' });
        expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
        const database = openDatabase(folder);
        new Sweeper(database, () => store.nowMs);
        vi.advanceTimersByTime(1_000);
        expect({ step, when, ...remains(database, folder, store) }).toEqual({ step, when, ...swept() });
        database.close();
      }
    },
    MUCH_WORK_MS,
  );

  it('waits for nobody: while another connection reads it asks again, and then empties the log', () => {
    const folder = store.copy();
    const database = openDatabase(folder);
    const reader = openDatabase(folder);
    reader.exec('BEGIN; SELECT count(*) FROM items');
    let asked = 0;
    const counted = throughSteps(database, (sql, work) => {
      if (sql.includes('wal_checkpoint')) asked++;
      return work();
    });
    new Sweeper(counted, () => store.nowMs);
    // To wait for the reader would take five seconds each time.
    while (asked < 10) vi.advanceTimersByTime(250);
    expect(remains(database, folder, store)).not.toEqual(swept());
    reader.exec('COMMIT');
    vi.advanceTimersByTime(1_000);
    expect(remains(database, folder, store)).toEqual(swept());
    reader.close();
    database.close();
  });

  it('tries again after another connection has held the store', () => {
    const folder = store.copy();
    const database = openDatabase(folder);
    database.exec('PRAGMA busy_timeout = 0');
    const writer = openDatabase(folder);
    writer.exec('BEGIN IMMEDIATE');
    new Sweeper(database, () => store.nowMs);
    vi.advanceTimersByTime(1_000);
    expect(remains(database, folder, store)).not.toEqual(swept());
    writer.exec('ROLLBACK');
    vi.advanceTimersByTime(SWEPT_MS);
    expect(remains(database, folder, store)).toEqual(swept());
    writer.close();
    database.close();
  });

  /** How many turns of the event loop a sweeper takes for so many dropped payloads. */
  function turnsFor(payloads: number, bytes: number): number {
    const database = openDatabase(mkdtempSync(join(world.folder, 'payloads-')));
    const put = database.prepare('INSERT INTO payloads VALUES (?, ?)');
    for (let n = 0; n < payloads; n++) put.run(`${n}`, new Uint8Array(bytes));
    database.exec('INSERT INTO dropped SELECT id FROM payloads');
    const count = database.prepare('SELECT count(*) AS payloads FROM payloads');
    const sweeper = new Sweeper(database, () => store.nowMs);
    let turns = 0;
    for (; count.get()?.['payloads'] !== 0; turns++) vi.advanceTimersToNextTimer();
    sweeper.finish();
    database.close();
    return turns;
  }

  it('keeps up with deletions: what is small is removed by the dozen, what is large in several turns', () => {
    expect(turnsFor(500, 1_000)).toBeLessThan(500 / 24);
    expect(turnsFor(4, 2_000_000)).toBe(4);
  });
});
