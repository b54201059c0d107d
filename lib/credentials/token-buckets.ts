import * as z from 'zod/mini';

/** A rate as a usage plan of API Gateway has it; whole numbers. */
export interface Rate {
  readonly perSecond: number;
  /** How many requests may come at once after a pause. */
  readonly burst: number;
}

/** Reads a rate in requests a second and, after a colon, the burst: twice as many unless given. `counted` names the requests in the error. */
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

/** A token bucket in thousandths of a request: whole numbers, since so many come in a millisecond. */
export interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

/** What one request takes. */
export const REQUEST = 1_000;

/** The level of a bucket at a moment. No bucket is a full one. A clock that was set back fills nothing and takes nothing away. */
export function levelAt({ perSecond, burst }: Rate, nowMs: number, bucket: Bucket | undefined): number {
  const full = burst * REQUEST;
  return bucket ? Math.min(full, bucket.level + Math.max(0, nowMs - bucket.atMs) * perSecond) : full;
}

/** How long an empty bucket takes to fill, in milliseconds. */
export function fillMs({ perSecond, burst }: Rate): number {
  return Math.ceil((burst * REQUEST) / perSecond);
}

export interface TokenBuckets {
  /** Whether the bucket of a key has a token. */
  has(key: string): boolean;
  /** Takes a token. @returns whether there was one; if not, nothing is taken */
  take(key: string): boolean;
}

export interface TokenBucketsOptions extends Rate {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How many buckets are kept; beyond it the one that was used longest ago is forgotten. All that are not full unless given. */
  readonly most?: number;
}

/** A token bucket for each key, in memory. Full buckets are forgotten. */
export function tokenBuckets({ now, most = Number.POSITIVE_INFINITY, ...rate }: TokenBucketsOptions): TokenBuckets {
  const full = rate.burst * REQUEST;
  const buckets = new Map<string, Bucket>();

  function forget(nowMs: number): void {
    for (const [key, bucket] of buckets) {
      if (levelAt(rate, nowMs, bucket) < full && buckets.size <= most) break;
      buckets.delete(key);
    }
  }

  return {
    has: (key) => levelAt(rate, now(), buckets.get(key)) >= REQUEST,
    take(key) {
      const atMs = now();
      const level = levelAt(rate, atMs, buckets.get(key));
      const isAllowed = level >= REQUEST;
      // Behind all others, so that the buckets that nobody uses come to the front.
      buckets.delete(key);
      buckets.set(key, { level: isAllowed ? level - REQUEST : level, atMs });
      forget(atMs);
      return isAllowed;
    },
  };
}
