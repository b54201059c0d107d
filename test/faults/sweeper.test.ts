import { copyFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { Sweeper } from '../../lib/storage/sqlite/sweeper.ts';
import { segment } from '../support/projects.ts';
import { bytesIn, CANARY, FIELDS, TASK } from './canary.ts';
import { deliverEvents } from './events.ts';
import { SqliteWorld } from './sqlite-world.ts';

/** Runs a step of SQLite, or something else in its place. */
type Run = <T>(sql: string, work: () => T) => T;

/** Returns a database that passes every step to a function. Preparing a statement does not count as a step. */
function throughSteps(database: DatabaseSync, run: Run): DatabaseSync {
  return new Proxy(database, {
    get(target, name) {
      if (name === 'exec') return (sql: string) => run(sql, () => target.exec(sql));
      if (name === 'prepare') return (sql: string) => statement(target.prepare(sql), sql, run);
      return Reflect.get(target, name, target);
    },
  });
}

function statement(prepared: StatementSync, sql: string, run: Run): StatementSync {
  return new Proxy(prepared, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) => run(sql, () => Reflect.apply(member, target, values));
    },
  });
}

/** Returns a function that calls `call` before or after one step. */
function at(step: number, when: 'before' | 'after', call: () => void): Run {
  let steps = 0;
  return (_, work) => {
    const isHere = ++steps === step;
    if (isHere && when === 'before') call();
    const result = work();
    if (isHere && when === 'after') call();
    return result;
  };
}

const TRACE_BYTES = 32;

/** Returns pieces of a stored payload. They identify any part of it that stays in a file. */
function tracesOf(payload: Uint8Array): Buffer[] {
  const pieces = Math.floor(payload.length / TRACE_BYTES);
  return Array.from({ length: pieces }, (_, n) =>
    Buffer.from(payload.subarray(n * TRACE_BYTES, (n + 1) * TRACE_BYTES)),
  );
}

/** Returns how many of some pieces occur in some bytes. */
function countIn(bytes: Buffer, traces: readonly Buffer[]): number {
  return traces.filter((trace) => bytes.includes(trace)).length;
}

/** A time after which tombstones and request records have expired, in milliseconds. */
const LONG_MS = 40 * 86_400_000;

/** A store with every kind of work for a sweeper. */
interface Unswept {
  /** Copies the store's files into a new folder, and returns its path. */
  copy(): string;
  /** A time at which everything that expires has expired. */
  readonly nowMs: number;
  /** Pieces of the payloads that must go. */
  readonly traces: readonly Buffer[];
  /** The id of the payload that must stay. */
  readonly payloadId: string;
}

/**
 * Creates the store. It has a deleted project with more content than a page holds, a project with a deleted task, and
 * the records of both. No sweeper may run meanwhile.
 */
async function unswept(world: SqliteWorld): Promise<Unswept> {
  const companyId = world.newCompany();
  const service = world.service();
  const noiseOf = (seed: number) =>
    Array.from({ length: 20_000 }, (_, n) => ((n * seed) % 1_000_003).toString(36)).join(' ');
  const noise = noiseOf(7_919_003);
  const long = { ...FIELDS, segments: [...FIELDS.segments, segment({ content: noise })] };
  const { id } = await service.create(world.checked(long), world.callOf(companyId, 'create'));
  const stays = {
    customId: `${CANARY} which stays`,
    segments: [segment({ content: noiseOf(6_700_417) }), segment({ content: noise, taskId: TASK })],
  };
  const other = await service.create(world.checked(stays), world.callOf(companyId, 'create the other'));
  const before = await world.payloads(companyId);
  await service.delete({ id }, { kind: 'project' }, world.callOf(companyId, 'delete'));
  await service.delete({ id: other.id }, { kind: 'task', taskId: TASK }, world.callOf(companyId, 'delete the task'));
  await deliverEvents(world, companyId);
  const [payload] = (await world.payloads(companyId)).filter(({ id }) => !before.some((old) => old.id === id));
  if (!payload) throw new Error('The deletion of a task writes a payload');
  const kept = Buffer.from(payload.bytes);
  const unsweptFolder = copyOf(world.folder);
  return {
    copy: () => copyOf(unsweptFolder),
    nowMs: world.nowMs + LONG_MS,
    traces: before.flatMap(({ bytes }) => tracesOf(bytes)).filter((trace) => !kept.includes(trace)),
    payloadId: payload.id,
  };
}

/** Copies a store's files into a new folder, as a killed process leaves them. */
function copyOf(folder: string): string {
  const copy = mkdtempSync(join(world.folder, 'copy-'));
  for (const name of ['segue.db', 'segue.db-wal']) copyFileSync(join(folder, name), join(copy, name));
  return copy;
}

const SortRow = z.object({ sort: z.string() });
const IdRow = z.object({ id: z.string() });

/** Returns the items of a store, and the number of pieces in its files that must go. */
function remains(database: DatabaseSync, folder: string, { traces }: Unswept) {
  const bytes = bytesIn(folder);
  return {
    items: database
      .prepare('SELECT sort FROM items')
      .all()
      .map((row) => SortRow.parse(row).sort.replace(/\/.*/, '')),
    payloads: database
      .prepare('SELECT id FROM payloads')
      .all()
      .map((row) => IdRow.parse(row).id),
    dropped: database.prepare('SELECT id FROM dropped').all(),
    traces: countIn(bytes, traces),
    canaries: [FIELDS.name, FIELDS.description, `${CANARY} person`, `${CANARY}@`].filter((text) =>
      bytes.includes(text),
    ),
  };
}

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

/** A time that is longer than a sweep and the pause after a failed sweep, in milliseconds. */
const SWEPT_MS = 11_000;

const swept = () => ({
  items: ['custom-id', 'project', 'work', 'feed-end'],
  payloads: [store.payloadId],
  dropped: [],
  traces: 0,
  canaries: [],
});

/** Returns the number of steps in a sweep of the store. */
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

describe('a sweeper', () => {
  it('finds much to do in this store', () => {
    const folder = store.copy();
    const database = openDatabase(folder);
    const { traces, canaries, dropped, items } = remains(database, folder, store);
    expect(traces).toBeGreaterThan(1_000);
    expect(canaries).toHaveLength(4);
    // Two payloads outside their items, and one name for all content that was inside an item.
    expect(dropped).toHaveLength(3);
    expect(items).toHaveLength(14);
    expect(steps).toBeGreaterThan(12);
    database.close();
  });

  it('removes everything if a step fails: it tries again', () => {
    for (let step = 1; step <= steps; step++) {
      for (const when of ['before', 'after'] as const) {
        const folder = store.copy();
        const database = openDatabase(folder);
        const fail = vi.fn(() => {
          throw new Error('A planted fault');
        });
        new Sweeper(throughSteps(database, at(step, when, fail)), () => store.nowMs);
        vi.advanceTimersByTime(SWEPT_MS);
        expect(fail).toHaveBeenCalledOnce();
        expect({ step, when, ...remains(database, folder, store) }).toEqual({ step, when, ...swept() });
        database.close();
      }
    }
  });

  it('removes everything if its process is killed after a step: the next process continues', () => {
    for (let step = 1; step <= steps; step++) {
      const folder = store.copy();
      const database = openDatabase(folder);
      let left = '';
      const kill = () => {
        left = copyOf(folder);
      };
      new Sweeper(throughSteps(database, at(step, 'after', kill)), () => store.nowMs);
      vi.advanceTimersByTime(1_000);
      database.close();
      const next = openDatabase(left);
      new Sweeper(next, () => store.nowMs);
      vi.advanceTimersByTime(1_000);
      expect({ step, ...remains(next, left, store) }).toEqual({ step, ...swept() });
      next.close();
    }
  });

  it('does not wait for a reader: it checks again while another connection reads, and then empties the log', () => {
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
    // Waiting for the reader would take five seconds each time.
    while (asked < 10) vi.advanceTimersByTime(250);
    expect(remains(database, folder, store)).not.toEqual(swept());
    reader.exec('COMMIT');
    vi.advanceTimersByTime(1_000);
    expect(remains(database, folder, store)).toEqual(swept());
    reader.close();
    database.close();
  });

  it('tries again after another connection held the store', () => {
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

  /** Returns how many turns of the event loop a sweeper needs for a number of dropped payloads. */
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

  it('keeps up with deletions: it removes small payloads by the dozen, and large ones in several turns', () => {
    expect(turnsFor(500, 1_000)).toBeLessThan(500 / 24);
    expect(turnsFor(4, 2_000_000)).toBe(4);
  });
});
