import * as z from 'zod/mini';
import { RATE_LIMITED } from '../contract/gateway-responses.ts';
import { Problem } from '../contract/problem.ts';
import type { ItemStore, Key, Write } from '../storage/port.ts';
import { fillMs, levelAt, type Rate, REQUEST } from './token-buckets.ts';
import { SKEW_SECONDS } from './token-times.ts';

/** Counts a request of a company. @returns whether it is within the company's rate; a request that is not costs nothing */
export type CompanyRate = (companyId: string) => boolean | Promise<boolean>;

/** Counts a request of a company, if there is a rate. @throws {Problem} `rate-limited` */
export async function requireRate(rate: CompanyRate | undefined, companyId: string): Promise<void> {
  if (rate && !(await rate(companyId))) throw new Problem('rate-limited', RATE_LIMITED);
}

const StoredBucket = z.strictObject({ level: z.number(), atMs: z.number() });

/** How often a request reads the bucket again because another one has changed it meanwhile. */
const MOST_TRIES = 20;

/**
 * A company's rate of sign-ins and refreshes, with the bucket in a store that several machines share.
 * @param pause waits before the next try by chance, so that requests that came at once do not meet again
 */
export function storedRate(
  store: ItemStore,
  rate: Rate,
  now: () => number,
  pause: (attempt: number) => Promise<void>,
): CompanyRate {
  return async (companyId) => {
    const key: Key = { partition: `company/${companyId}`, sort: 'sign-in-rate' };
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const item = await store.read(key);
      const bucket = item && StoredBucket.parse(item.data);
      const nowMs = now();
      // The clock of another machine may be ahead. One that is far ahead was wrong, and must not shut the company out.
      const isAhead = bucket !== undefined && bucket.atMs > nowMs;
      const atMs = isAhead && bucket.atMs <= nowMs + SKEW_SECONDS * 1_000 ? bucket.atMs : nowMs;
      const level = levelAt(rate, atMs, bucket);
      const isWithin = level >= REQUEST;
      if (!isWithin && bucket && atMs >= bucket.atMs) return false;
      const content = {
        key,
        data: { level: isWithin ? level - REQUEST : level, atMs },
        expiresAtMs: atMs + fillMs(rate),
      };
      const write: Write = item
        ? { kind: 'replace', version: item.version, ...content }
        : { kind: 'insert', ...content };
      if ((await store.commit({ writes: [write] }).catch(undecided)).ok) return isWithin;
      await pause(tries);
    }
    // So many requests at once are above any rate that one bucket could count.
    return false;
  };
}

/** Whether the token was taken is of no importance: nothing else was done, and the client may try again. */
function undecided(error: unknown): never {
  if (!(error instanceof Problem) || error.name !== 'outcome-unknown') throw error;
  throw new Problem(
    'unavailable',
    { detail: 'The rate cannot be checked now.', retryAfterSeconds: 1 },
    { cause: error },
  );
}
