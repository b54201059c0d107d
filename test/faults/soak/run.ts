import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { listProjects } from '../asking.ts';
import { Client } from './client.ts';
import { Load } from './load.ts';
import { median, type Sample, sampleOf, thirds } from './samples.ts';
import { type Holdings, holdingsOf } from './store.ts';

const MB = 1_048_576;
/** For how long as many requests are sent as are answered. */
const MEASURED_SECONDS = 10;
const SAMPLE_EVERY_MS = 1_000;
/** Longer than the sweeper ever waits. */
const SWEPT_WITHIN_MS = 30_000;

/**
 * Keeps a gateway busy for so many seconds with half of what it can do, and then deletes everything.
 * @returns the figures, in words
 * @throws where an answer was wrong, where memory or files grew, or where something was left
 */
export async function checkSoak(seconds: number, seed: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'segue-soak-'));
  const gateway = await startGateway({ env: { SEGUE_DATA_DIR: folder } });
  const client = new Client(gateway);
  const load = new Load(client, seed);
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
    const memory = requireFlat((await samples).map((one) => one.memory));
    await deleteAll(client);
    const late = await swept(folder);
    requireAccounted(early, late, client);
    assert.deepEqual(client.wrong, []);
    assert.equal(await gateway.stop(), 0);
    const files = Math.max(...(await samples).map((one) => one.files));
    return report({ seconds, seed, most, perSecond, client, memory, files, early, late });
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

/** Deletes every project there is, also those whose makers broke off. */
async function deleteAll(client: Client): Promise<void> {
  for (const { id } of await listProjects(client.gateway)) {
    await client.send({ method: 'DELETE', path: `/segments/projects/${id}` }, 204);
    client.deleted += 1;
  }
  assert.deepEqual(await listProjects(client.gateway), []);
}

/** Waits until nothing is left to sweep, and the write-ahead log is empty. */
async function swept(folder: string): Promise<Holdings> {
  const until = performance.now() + SWEPT_WITHIN_MS;
  for (;;) {
    const holdings = holdingsOf(folder);
    const { payloads, dropped, logBytes } = holdings;
    if (payloads === 0 && dropped === 0 && logBytes === 0) return holdings;
    assert(performance.now() < until, `Not swept: ${JSON.stringify(holdings)}`);
    await setTimeout(SAMPLE_EVERY_MS / 4);
  }
}

/** The median of each third of the time, and the peak. */
interface Memory {
  readonly first: number;
  readonly second: number;
  readonly last: number;
  readonly peak: number;
}

/** Requires memory not to grow: by no more than a tenth or 20 MB from the second third of the time to the last one. */
function requireFlat(memory: readonly number[]): Memory {
  const [first, second, last] = thirds(memory).map(median);
  assert(first !== undefined && second !== undefined && last !== undefined);
  assert(last <= second + Math.max(second / 10, 20 * MB), `Memory grew from ${mb(second)} to ${mb(last)}`);
  return { first, second, last, peak: Math.max(...memory) };
}

/** Pages are never quite full, and an index names a part of the items once more. */
const BYTES_FOR_ONE = 3;

/** What is left is what has to be: records of requests for 7 days and tombstones for 30, in pages that are used again. */
function requireAccounted(early: Holdings, late: Holdings, { keys, deleted }: Client): void {
  const { 'request/': requests = 0, 'tombstone/': byId = 0, 'tombstone-of/': byCustomId = 0, ...others } = late.items;
  assert.deepEqual(others, {});
  assert(requests <= keys.size, `${requests} records of ${keys.size} keys`);
  assert.equal(byId, deleted);
  assert.equal(byCustomId, deleted);
  const items = late.itemBytes * BYTES_FOR_ONE + MB;
  assert(late.usedBytes <= items, `${mb(late.usedBytes)} for items of ${mb(late.itemBytes)}`);
  const most = early.fileBytes + (late.itemBytes - early.itemBytes) * BYTES_FOR_ONE;
  assert(late.fileBytes <= most * 1.1, `The file grew from ${mb(early.fileBytes)} to ${mb(late.fileBytes)}`);
}

interface Figures {
  readonly seconds: number;
  readonly seed: number;
  /** Requests a second. */
  readonly most: number;
  readonly perSecond: number;
  readonly client: Client;
  readonly memory: Memory;
  /** The most bytes of all files together. */
  readonly files: number;
  readonly early: Holdings;
  readonly late: Holdings;
}

function report({ seconds, seed, most, perSecond, client, memory, files, early, late }: Figures): string {
  const problems = [...client.problems].map(([type, count]) => `${type} ${count}`).sort();
  const items = Object.entries(late.items).map(([kind, count]) => `${count} of ${kind}`);
  return [
    `${seconds} s with seed ${seed}`,
    `requests: ${client.requests}, ${perSecond.toFixed(0)} a second of ${most.toFixed(0)}; ${client.cut} more were broken off`,
    `problems, each of them wanted: ${problems.join(', ')}`,
    `memory: ${mb(memory.first)}, ${mb(memory.second)}, ${mb(memory.last)} in thirds of the time, ${mb(memory.peak)} at most`,
    `files: ${mb(early.fileBytes)} early, ${mb(late.fileBytes)} at last, ${mb(files)} at most with the log`,
    `left: ${items.join(', ')}, ${mb(late.itemBytes)} in ${mb(late.usedBytes)} of pages`,
  ].join('\n');
}

function mb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`;
}
