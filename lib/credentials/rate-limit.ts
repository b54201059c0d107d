import * as z from 'zod/mini';
import { RATE_LIMITED } from '../contract/gateway-responses.ts';
import { CLOCK_SKEW_SECONDS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { Rate } from '../contract/settings.ts';
import { type RetryOptions, retry } from '../service/retry.ts';
import { asUnavailable, type ItemStore, type Key, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { tokensPartition } from './token-family.ts';

/**
 * A token bucket. Its level counts thousandths of a request, so that the level is a whole number at every millisecond.
 */
interface Bucket {
  readonly level: number;
  /** When the bucket had this level, in milliseconds since 1970. */
  readonly atMs: number;
}

/** How much one request takes from a bucket, in thousandths of a request. */
const REQUEST = 1_000;

/**
 * Returns the level of a bucket at a given time. A missing bucket is full. If the clock was set back, the level does
 * not change.
 */
function levelAt({ perSecond, burst }: Rate, nowMs: number, bucket: Bucket | undefined): number {
  const full = burst * REQUEST;
  return bucket ? Math.min(full, bucket.level + Math.max(0, nowMs - bucket.atMs) * perSecond) : full;
}

interface TokenBuckets {
  /** Checks whether the bucket of a key has a token, without taking it. */
  has(key: string): boolean;
  /** Takes a token from the bucket of a key. Returns `false` if the bucket has no token. */
  take(key: string): boolean;
}

/**
 * Creates token buckets in memory. The caller names each bucket by a key, such as an IP address. A full bucket is
 * dropped, because a missing bucket counts as full.
 * @param now returns the current time, in milliseconds since 1970
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
      // The bucket moves to the end, so that the least recently used bucket comes first.
      buckets.delete(key);
      buckets.set(key, { level: isAllowed ? level - REQUEST : level, atMs });
      drop(atMs);
      return isAllowed;
    },
  };
}

/**
 * Counts a request of a company: on AWS a sign-in or token refresh, because the usage plan counts the others, and on one
 * machine every request. Returns `false`, and counts nothing, if the company is over its rate.
 */
export type CompanyRate = (companyId: string) => boolean | Promise<boolean>;

/**
 * Counts a sign-in or token refresh of a company, if there is a rate limit.
 * @throws {Problem} `rate-limited` if the company is over its rate
 */
export async function requireRate(rate: CompanyRate | undefined, companyId: string): Promise<void> {
  if (rate && !(await rate(companyId))) throw new Problem('rate-limited', RATE_LIMITED);
}

const StoredBucket = recordOf(() => ({ level: z.number(), atMs: z.number() }));

/**
 * How a request retries if another request has changed the bucket: pauses in milliseconds, and the number of attempts.
 */
const TRIES = { firstMs: 40, longestMs: 500, maxAttempts: 20 };

/**
 * Creates a rate limit for sign-ins and token refreshes that several machines share. The store has a bucket for each
 * company.
 * @param waits how to pause before another attempt, if another request has changed the bucket
 */
export function storedRate(
  store: ItemStore,
  rate: Rate,
  now: () => number,
  waits: Pick<RetryOptions, 'sleep' | 'random'>,
): CompanyRate {
  const fillMs = Math.ceil((rate.burst * REQUEST) / rate.perSecond);
  return async (companyId) => {
    const key: Key = { partition: tokensPartition(companyId), sort: 'sign-in-rate' };
    const tries = retry({ ...TRIES, ...waits });
    for (;;) {
      const item = await store.read(key);
      const bucket = item && StoredBucket.parse(item.data);
      const atMs = bucketTimeMs(bucket, now());
      const level = levelAt(rate, atMs, bucket);
      const isWithin = level >= REQUEST;
      if (!isWithin && bucket && atMs >= bucket.atMs) return false;
      const data: Bucket = { ...bucket, level: isWithin ? level - REQUEST : level, atMs };
      const content = { key, data, expiresAtMs: atMs + fillMs };
      const write: Write = item
        ? { kind: 'replace', version: item.version, ...content }
        : { kind: 'insert', ...content };
      const commit = await store
        .commit({ writes: [write] })
        .catch(asUnavailable('Segue cannot check the company’s request rate at the moment.'));
      if (commit.ok) return isWithin;
      // After so many conflicts, one bucket cannot count the concurrent requests: refuse this request.
      if (!(await tries.pause())) return false;
    }
  };
}

/**
 * Returns the time to use for a bucket. The clock of the machine that wrote the bucket may be a little ahead. A time
 * that is far ahead is ignored, so that the company is not locked out.
 */
function bucketTimeMs(bucket: Bucket | undefined, nowMs: number): number {
  const isAhead = bucket !== undefined && bucket.atMs > nowMs && bucket.atMs <= nowMs + CLOCK_SKEW_SECONDS * 1_000;
  return isAhead ? bucket.atMs : nowMs;
}
