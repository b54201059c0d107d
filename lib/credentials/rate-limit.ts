import * as z from 'zod/mini';
import { RATE_LIMITED } from '../contract/gateway-responses.ts';
import { CLOCK_SKEW_SECONDS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { type RetryOptions, retry } from '../service/retry.ts';
import { asUnavailable, type ItemStore, type Key, type Write } from '../storage/port.ts';

/** A rate limit, as a usage plan of API Gateway has it. Both are whole numbers. */
export interface Rate {
  readonly perSecond: number;
  /** How many requests may come at once after a pause. */
  readonly burst: number;
}

/**
 * Makes the schema of a rate in a setting: requests a second and, after a colon, the burst; twice as many unless given.
 * @param name of the setting, for its error
 * @param counted what is counted, for its error
 */
export const RateText = (name: string, counted = 'requests') =>
  z.pipe(
    z
      .string()
      .check(
        z.regex(
          /^[1-9]\d{0,4}(?::[1-9]\d{0,4})?$/,
          `${name} must be ${counted} a second from 1 to 99999, or those and the burst, such as 50:100`,
        ),
      ),
    z.transform((text): Rate => {
      const [perSecond = 0, burst = 2 * perSecond] = text.split(':').map(Number);
      return { perSecond, burst };
    }),
  );

/** A token bucket. Its level counts thousandths of a request, so that it stays a whole number at every millisecond. */
interface Bucket {
  readonly level: number;
  /** When it had this level, in milliseconds since 1970. */
  readonly atMs: number;
}

/** What one request takes from a bucket. */
const REQUEST = 1_000;

/** Returns the level of a bucket at a time. A missing bucket is full. If the clock was set back, the level stays. */
function levelAt({ perSecond, burst }: Rate, nowMs: number, bucket: Bucket | undefined): number {
  const full = burst * REQUEST;
  return bucket ? Math.min(full, bucket.level + Math.max(0, nowMs - bucket.atMs) * perSecond) : full;
}

interface TokenBuckets {
  /** Whether the bucket of a key has a token. */
  has(key: string): boolean;
  /** Takes a token. Returns `false`, and takes nothing, if there is none. */
  take(key: string): boolean;
}

/**
 * Keeps a token bucket for each key in memory, and drops full buckets.
 * @param now milliseconds since 1970
 */
export function tokenBuckets({ now, ...rate }: Rate & { readonly now: () => number }): TokenBuckets {
  const full = rate.burst * REQUEST;
  const buckets = new Map<string, Bucket>();

  function drop(nowMs: number): void {
    for (const [key, bucket] of buckets) {
      if (levelAt(rate, nowMs, bucket) < full) break;
      buckets.delete(key);
    }
  }

  return {
    has: (key) => levelAt(rate, now(), buckets.get(key)) >= REQUEST,
    take(key) {
      const atMs = now();
      const level = levelAt(rate, atMs, buckets.get(key));
      const isAllowed = level >= REQUEST;
      // Moved to the end, so that the least recently used bucket is the first.
      buckets.delete(key);
      buckets.set(key, { level: isAllowed ? level - REQUEST : level, atMs });
      drop(atMs);
      return isAllowed;
    },
  };
}

/** Counts a sign-in or refresh of a company. Returns `false`, and counts nothing, if the company is over its rate. */
export type CompanyRate = (companyId: string) => boolean | Promise<boolean>;

/** Counts a sign-in or refresh of a company, if there is a rate. @throws {Problem} `rate-limited` */
export async function requireRate(rate: CompanyRate | undefined, companyId: string): Promise<void> {
  if (rate && !(await rate(companyId))) throw new Problem('rate-limited', RATE_LIMITED);
}

const StoredBucket = z.strictObject({ level: z.number(), atMs: z.number() });

/** How often a request reads the bucket again because another request has changed it. */
const TRIES = { firstMs: 40, longestMs: 500, maxAttempts: 20 };

/**
 * Counts sign-ins and refreshes in a bucket for each company in a store that several machines share.
 * @param waits how to pause before another try
 */
export function storedRate(
  store: ItemStore,
  rate: Rate,
  now: () => number,
  waits: Pick<RetryOptions, 'sleep' | 'random'>,
): CompanyRate {
  const fillMs = Math.ceil((rate.burst * REQUEST) / rate.perSecond);
  return async (companyId) => {
    const key: Key = { partition: `company/${companyId}`, sort: 'sign-in-rate' };
    const tries = retry({ ...TRIES, ...waits });
    for (;;) {
      const item = await store.read(key);
      const bucket = item && StoredBucket.parse(item.data);
      const atMs = bucketTimeMs(bucket, now());
      const level = levelAt(rate, atMs, bucket);
      const isWithin = level >= REQUEST;
      if (!isWithin && bucket && atMs >= bucket.atMs) return false;
      const data: Bucket = { level: isWithin ? level - REQUEST : level, atMs };
      const content = { key, data, expiresAtMs: atMs + fillMs };
      const write: Write = item
        ? { kind: 'replace', version: item.version, ...content }
        : { kind: 'insert', ...content };
      const commit = await store
        .commit({ writes: [write] })
        .catch(asUnavailable('Segue cannot check the company’s request rate at the moment.'));
      if (commit.ok) return isWithin;
      // So many concurrent requests are over any rate that one bucket can count.
      if (!(await tries.pause())) return false;
    }
  };
}

/** The clock of another machine may be a little ahead. If it is far ahead, it was wrong: do not lock the company out. */
function bucketTimeMs(bucket: Bucket | undefined, nowMs: number): number {
  const isAhead = bucket !== undefined && bucket.atMs > nowMs && bucket.atMs <= nowMs + CLOCK_SKEW_SECONDS * 1_000;
  return isAhead ? bucket.atMs : nowMs;
}
