import * as z from 'zod/mini';
import { Problem } from '../lib/contract/problem.ts';
import { keyGuard } from '../lib/credentials/key-directory.ts';
import { deadlineAt } from '../lib/service/deadline.ts';
import { dynamoDbClient } from '../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../lib/storage/dynamodb/items.ts';
import type { ItemStore } from '../lib/storage/port.ts';
import { type Random, randomFrom } from '../packages/simulator/random.ts';
import { VirtualClock } from '../test/faults/simulation/clock.ts';
import { AWS_ENDPOINT } from '../test/support/aws/dynamodb.ts';
import { median } from './support/statistics.ts';
import { markdownTable } from './support/table.ts';

/** How long a transaction holds its items, in milliseconds. */
const HELD_MS = 20;
const SECONDS = 100;
/** How often the burst of deletions is repeated, each time by another key. */
const BURSTS = 100;
const REQUEST_MS = 25_000;
/** Repeats the arrivals and the retries of every run. */
const SEED = 1;
/** The largest share of deletions that may fail, at 100 a second by one key. */
const MAX_FAILED = 0.001;

const Key = z.object({ partition: z.object({ S: z.string() }), sort: z.object({ S: z.string() }) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), z.object({ Key }))) });
const CONFLICT = {
  __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
  CancellationReasons: [{ Code: 'TransactionConflict' }],
};

/**
 * Opens a table that lets one transaction at a time use an item, also if it only checks the item, as DynamoDB does.
 * Every condition holds.
 */
function contendedTable({ now, sleep }: VirtualClock, random: Random): ItemStore {
  const held = new Set<string>();
  const client = dynamoDbClient({
    now,
    endpointOf: async () => AWS_ENDPOINT,
    async post({ body }) {
      const { TransactItems } = Transaction.parse(JSON.parse(body));
      const keys = TransactItems.flatMap(Object.values<{ Key: unknown }>).map(({ Key: key }) => JSON.stringify(key));
      if (keys.some((key) => held.has(key))) return { status: 400, body: JSON.stringify(CONFLICT) };
      for (const key of keys) held.add(key);
      await sleep(HELD_MS);
      for (const key of keys) held.delete(key);
      return { status: 200, body: '{}' };
    },
  });
  return dynamoDbItems('bench', { ...client, waits: { sleep, random: random.next } });
}

/** A way to delete: how many guards a key has, and when its deletions arrive. */
interface Scenario {
  readonly guards: 'one guard' | 'guards of Segue';
  readonly arrivals: string;
  /** How many deletions a key sends. */
  readonly count: number;
  /** The mean of the pauses between two deletions, in milliseconds. The pauses are random. */
  readonly pauseMs: number;
  /** How many keys delete, each with guards of its own. */
  readonly keys: number;
}

const ARRIVALS = [
  { arrivals: '50 a second', count: 50 * SECONDS, pauseMs: 20, keys: 1 },
  { arrivals: '100 a second', count: 100 * SECONDS, pauseMs: 10, keys: 1 },
  { arrivals: '100 at once', count: 100, pauseMs: 0, keys: BURSTS },
];
const SCENARIOS: readonly Scenario[] = (['one guard', 'guards of Segue'] as const).flatMap((guards) =>
  ARRIVALS.map((arrivals) => ({ guards, ...arrivals })),
);

/** The result of a deletion: how long it took, and whether it failed. */
interface Deletion {
  readonly ms: number;
  readonly hasFailed: boolean;
}

/** Commits what a deletion changes: items of its own project, and the check of a guard of the key. */
async function deleteOne(
  table: ItemStore,
  { now }: VirtualClock,
  { keyId, projectId, requestId }: { readonly keyId: string; readonly projectId: string; readonly requestId: string },
): Promise<Deletion> {
  const began = now();
  const deadline = deadlineAt(began + REQUEST_MS, now);
  const guard = keyGuard(() => {
    throw new RangeError('A deletion with the version of its key reads no key');
  }, now);
  const call = {
    companyId: 'acme',
    requestedBy: { kind: 'key', id: keyId },
    keyVersion: 1,
    requestId,
    deadline,
  } as const;
  const check = guard.presume(call);
  const project = { kind: 'remove', key: { partition: 'company/acme', sort: projectId }, version: 1 } as const;
  try {
    await table.commit({ writes: [project, ...(check ? [check] : [])], deadline });
    return { ms: now() - began, hasFailed: false };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ms: now() - began, hasFailed: true };
  }
}

async function deletionsOf({ guards, count, pauseMs, keys }: Scenario): Promise<readonly Deletion[]> {
  const clock = new VirtualClock();
  const random = randomFrom(SEED);
  const table = contendedTable(clock, random);
  const ofKey = async (keyId: string) => {
    const running: Promise<Deletion>[] = [];
    for (let n = 0; n < count; n++) {
      if (pauseMs > 0) await clock.sleep(-Math.log(1 - random.next()) * pauseMs);
      // The request id selects the guard, so one id for all requests selects one guard.
      const requestId = guards === 'one guard' ? 'always the same' : String(random.next());
      running.push(deleteOne(table, clock, { keyId, projectId: `project-${n}`, requestId }));
    }
    return Promise.all(running);
  };
  const all: Deletion[] = [];
  for (let n = 0; n < keys; n++) all.push(...(await clock.run(ofKey(`key-${n}`))));
  return all;
}

/**
 * Simulates many deletions at once by one key, with one guard of the key and with as many as Segue has.
 * @returns a Markdown table, and whether few enough deletions fail
 */
export async function guards(): Promise<{ readonly table: string; readonly meetsTarget: boolean }> {
  const rows: string[][] = [];
  let meetsTarget = true;
  for (const scenario of SCENARIOS) {
    const deletions = await deletionsOf(scenario);
    const share = deletions.filter(({ hasFailed }) => hasFailed).length / deletions.length;
    const isTarget = scenario.guards === 'guards of Segue';
    if (isTarget) meetsTarget &&= share < MAX_FAILED;
    const times = deletions.map(({ ms }) => ms).sort((a, b) => a - b);
    const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
    rows.push([
      `${scenario.guards}, ${scenario.arrivals}`,
      String(deletions.length),
      `${(100 * share).toFixed(2)} %`,
      `${median(times).toFixed(0)} ms`,
      `${p99.toFixed(0)} ms`,
      isTarget ? `< ${100 * MAX_FAILED} %` : '',
    ]);
  }
  return {
    table: markdownTable(['deletions by one key', 'sent', 'failed', 'median', 'p99', 'target'], rows),
    meetsTarget,
  };
}
