/** How often each company may ask, as a usage plan of API Gateway says it; whole numbers. */
export interface Rate {
  readonly perSecond: number;
  /** How many requests may come at once after a pause. */
  readonly burst: number;
}

export interface ThrottleOptions extends Rate {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a company has left, in thousandths of a request: whole numbers, since so many come in a millisecond. */
interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

const REQUEST = 1_000;

/**
 * A token bucket for each company. A full one is as good as none, so only those are kept that were asked for in the
 * time that an empty one takes to fill.
 * @returns whether a request of the company may go on; one that may not costs nothing
 */
export function createThrottle({ perSecond, burst, now }: ThrottleOptions): (companyId: string) => boolean {
  const full = burst * REQUEST;
  const buckets = new Map<string, Bucket>();

  function levelAt(nowMs: number, bucket: Bucket | undefined): number {
    // A clock that was set back fills nothing, and takes nothing away.
    return bucket ? Math.min(full, bucket.level + Math.max(0, nowMs - bucket.atMs) * perSecond) : full;
  }

  function forgetFull(nowMs: number): void {
    for (const [companyId, bucket] of buckets) {
      if (levelAt(nowMs, bucket) < full) break;
      buckets.delete(companyId);
    }
  }

  return (companyId) => {
    const atMs = now();
    const level = levelAt(atMs, buckets.get(companyId));
    const isAllowed = level >= REQUEST;
    // Behind all others, so that those nobody asks for any more come to the front.
    buckets.delete(companyId);
    buckets.set(companyId, { level: isAllowed ? level - REQUEST : level, atMs });
    forgetFull(atMs);
    return isAllowed;
  };
}
