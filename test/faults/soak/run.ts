import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { listProjects } from '../asking.ts';
import { inDatabase } from '../kills/store.ts';
import { Load } from './load.ts';

/** The content of a store. */
interface Holdings {
  /** The number of items by the first part of their sort key. */
  readonly items: Readonly<Record<string, number>>;
  /** The size of the items' keys and data, in bytes. */
  readonly itemBytes: number;
  readonly payloads: number;
  readonly dropped: number;
  /** The size of all pages in use, in bytes. */
  readonly usedBytes: number;
  readonly fileBytes: number;
  readonly logBytes: number;
}

const Kind = z.object({ kind: z.string(), count: z.int(), bytes: z.int() });
const Numbers = z.record(z.string(), z.int());

/** Reads the holdings of a store that a gateway has open. */
function holdingsOf(folder: string): Holdings {
  const path = join(folder, 'segue.db');
  return inDatabase(folder, (database) => {
    const numberOf = (sql: string) => Object.values(Numbers.parse(database.prepare(sql).get()))[0] ?? 0;
    const rows = database.prepare(KINDS).all();
    const kinds = rows.map((row) => Kind.parse(row));
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
  });
}

const KINDS = `
  SELECT substr(sort, 1, instr(sort, '/')) AS kind, count(*) AS count,
    sum(length(partition) + length(sort) + length(data)) AS bytes
  FROM items WHERE partition LIKE 'company/%' AND sort NOT IN ('company', 'feed-end') GROUP BY kind`;

const run = promisify(execFile);

/** The sizes of a process and its files at a moment, in bytes. */
interface Sample {
  /** The memory of the process, in bytes. */
  readonly memory: number;
  /** The size of all files of the folder but the reserve, in bytes. The write-ahead log is included. */
  readonly files: number;
}

/** Measures a process and the folder of its files. */
async function sampleOf(pid: number, folder: string): Promise<Sample> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', `${pid}`]);
  return { memory: Number(stdout) * 1_024, files: bytesIn(folder) };
}

function bytesIn(folder: string): number {
  const names = readdirSync(folder).filter((name) => name !== 'segue.reserve');
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Returns the median of some numbers. */
function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

function thirds<T>(list: readonly T[]): readonly [first: readonly T[], second: readonly T[], last: readonly T[]] {
  const [one, two] = [Math.floor(list.length / 3), Math.floor((list.length * 2) / 3)];
  return [list.slice(0, one), list.slice(one, two), list.slice(two)];
}

const MB = 1_048_576;
/** The longest time for measuring the gateway's capacity, in seconds. */
const MEASURED_SECONDS = 10;
/** The shortest run in which the growth of memory and of the file is checked, in seconds. In a shorter run, both still grow to what the load needs. */
const WARM_SECONDS = 60;
const SAMPLE_EVERY_MS = 1_000;
/** A time that is longer than any pause of the sweeper, in milliseconds. */
const SWEPT_WITHIN_MS = 90_000;

/**
 * Keeps a gateway busy at half of its capacity for some seconds, and then deletes everything.
 * @returns the figures
 * @throws if an answer was wrong, memory or files grew, or something was left
 */
export async function checkSoak(seconds: number, seed: number): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'segue-soak-'));
  const gateway = await startGateway({ env: { SEGUE_DATA_DIR: folder } });
  const load = new Load(gateway, seed);
  try {
    const measuredMs = Math.min(MEASURED_SECONDS, seconds / 10) * 1_000;
    const minuteMs = Math.min(60, seconds / 3) * 1_000;
    await load.fill();
    const most = await load.run(measuredMs);
    const sampling = new AbortController();
    const samples = sample(gateway, folder, sampling.signal);
    await load.run(minuteMs - measuredMs, most / 2);
    const early = holdingsOf(folder);
    const perSecond = await load.run(seconds * 1_000 - minuteMs, most / 2);
    sampling.abort();
    const memory = thirds((await samples).map((one) => one.memory)).map(median);
    if (seconds >= WARM_SECONDS) requireFlat(memory);
    await load.deleteAll();
    assert.deepEqual(await listProjects(gateway), []);
    const late = await swept(folder);
    requireAccounted(late, load);
    if (seconds >= WARM_SECONDS) requireReused(early, late);
    assert.equal(await gateway.stop(), 0);
    const files = Math.max(...(await samples).map((one) => one.files));
    const { items, itemBytes, usedBytes, fileBytes } = late;
    return {
      requests: `${load.requests}, ${perSecond.toFixed(0)} a second of ${most.toFixed(0)}; ${load.cut} more were broken off`,
      memory: `${memory.map(mb).join(', ')} in thirds of the time`,
      files: `${mb(early.fileBytes)} early, ${mb(fileBytes)} at last, ${mb(files)} at most with the log`,
      left: `${Object.entries(items)
        .map((item) => item.join(' '))
        .join(', ')}; ${mb(itemBytes)} in ${mb(usedBytes)} of pages`,
    };
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function sample({ process }: StartedGateway, folder: string, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (!signal.aborted) {
    samples.push(await sampleOf(process.pid ?? 0, folder));
    await setTimeout(SAMPLE_EVERY_MS);
  }
  return samples;
}

/** Waits until all events have left the outbox, nothing is left to sweep, and the write-ahead log is empty. */
async function swept(folder: string): Promise<Holdings> {
  const until = performance.now() + SWEPT_WITHIN_MS;
  for (;;) {
    const holdings = holdingsOf(folder);
    const { items, payloads, dropped, logBytes } = holdings;
    if (!items['outbox/'] && payloads === 0 && dropped === 0 && logBytes === 0) return holdings;
    assert(performance.now() < until, `Not swept: ${JSON.stringify(holdings)}`);
    await setTimeout(SAMPLE_EVERY_MS / 4);
  }
}

/** Requires that memory grows by at most a tenth, or 20 MB, from the second third of the time to the last. */
function requireFlat([_first = 0, second = 0, last = 0]: readonly number[]): void {
  assert(last <= second + Math.max(second / 10, 20 * MB), `Memory grew from ${mb(second)} to ${mb(last)}`);
}

/** The allowed bytes of pages for one byte of items. Pages are never full, and an index repeats a part of each item. */
const BYTES_FOR_ONE = 3;

/**
 * Requires that only request records (kept for 7 days), tombstones and events (30 days) are left, in pages that they
 * fill. Each event has one record.
 */
function requireAccounted(late: Holdings, { keys, deleted }: Load): void {
  const { 'request/': requests = 0, 'tombstone/': byId = 0, 'tombstone-of/': byCustomId = 0, ...rest } = late.items;
  const { 'feed/': events = 0, ...others } = rest;
  assert.deepEqual(others, {});
  assert(requests <= keys, `${requests} records of ${keys} keys`);
  assert.equal(byId, deleted);
  assert.equal(byCustomId, deleted);
  assert(events >= 2 * deleted, `${events} events of ${deleted} projects that were created and deleted`);
  const items = late.itemBytes * BYTES_FOR_ONE + MB;
  assert(late.usedBytes <= items, `${mb(late.usedBytes)} for items of ${mb(late.itemBytes)}`);
}

/** Requires that the file reused the pages of deleted items, and grew only for added items. */
function requireReused(early: Holdings, late: Holdings): void {
  const most = early.fileBytes + (late.itemBytes - early.itemBytes) * BYTES_FOR_ONE;
  assert(late.fileBytes <= most * 1.1, `The file grew from ${mb(early.fileBytes)} to ${mb(late.fileBytes)}`);
}

function mb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`;
}
