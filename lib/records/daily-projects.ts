import { crc32 } from '../contract/crc32.ts';
import * as failures from '../contract/failures.ts';
import type { ItemReader, Write } from '../storage/port.ts';
import { type CountedProject, counterKey, counterWrite } from './counted-project.ts';

/*
 * How many projects a company with a limit has created on a day (UTC). Only companies with a limit are counted.
 *
 * The count is the sum of the versions of some items, because DynamoDB lets one transaction at a time use an item. Each
 * of these counters may count up to its share of the limit, and the store refuses a write beyond. So creations at the same time
 * neither wait for each other's count, nor exceed the limit together.
 */

/** The number of counters of a day. */
const COUNTERS = 8;
const DAY_MS = 86_400_000;

interface CountRequest {
  readonly companyId: string;
  readonly limit: number;
  /** Selects the first counter to try, such as the id of the request. */
  readonly seed: string;
  /** Whether `returnProject` may take projects back. */
  readonly mayReturn: boolean;
}

/** How the day of a company stands. */
interface Day {
  readonly day: string;
  /** The versions of the counters. */
  readonly counted: readonly number[];
  /** How many projects of each counter were not created in the end. */
  readonly returned: readonly number[];
}

/** Returns how many projects a company with a limit has created today. */
export async function projectsToday(store: ItemReader, companyId: string, nowMs: number): Promise<number> {
  return usedOn(await readDay(store, companyId, nowMs, true));
}

/**
 * Finds a counter that has not reached its share of the limit.
 * @returns the counter, and the write that counts the project. If the store refuses it, another request was first: call
 *   this again
 * @throws {Problem} `quota-exceeded` if the company has reached its limit
 */
export async function countProject(
  store: ItemReader,
  { companyId, limit, seed, mayReturn }: CountRequest,
  nowMs: number,
): Promise<{ readonly counted: CountedProject; readonly write: Write }> {
  const today = await readDay(store, companyId, nowMs, mayReturn);
  const first = crc32(seed) % COUNTERS;
  const most = (counter: number) => shareOf(limit, counter) + (today.returned[counter] ?? 0);
  const counter = Array.from({ length: COUNTERS }, (_, n) => (first + n) % COUNTERS).find(
    (one) => (today.counted[one] ?? 0) < most(one),
  );
  if (counter === undefined || usedOn(today) >= limit) {
    throw failures.quotaExceeded(Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1_000));
  }
  const counted = { day: today.day, counter };
  return { counted, write: { ...counterWrite(companyId, 'counted', counted), maxVersion: most(counter) } };
}

async function readDay(store: ItemReader, companyId: string, nowMs: number, mayReturn: boolean): Promise<Day> {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const versions = (kind: 'counted' | 'returned') =>
    Promise.all(
      Array.from({ length: COUNTERS }, async (_, counter) => {
        return (await store.read(counterKey(companyId, kind, { day, counter })))?.version ?? 0;
      }),
    );
  const [counted, returned] = await Promise.all([versions('counted'), mayReturn ? versions('returned') : []]);
  return { day, counted, returned };
}

function usedOn({ counted, returned }: Day): number {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  return sum(counted) - sum(returned);
}

/** Returns how many projects a counter may count. Together, the counters may count the limit. */
function shareOf(limit: number, counter: number): number {
  return Math.floor(limit / COUNTERS) + (counter < limit % COUNTERS ? 1 : 0);
}
