import type { Deadline } from './deadline.ts';

/** How pauses between attempts grow: the longest possible pause doubles with each attempt, up to a limit. */
interface BackoffOptions {
  /** The longest first pause, in milliseconds. */
  readonly firstMs: number;
  /** The longest pause of all, in milliseconds. */
  readonly longestMs: number;
}

/**
 * How long to pause before the next attempt, in milliseconds: a random part of the longest pause ("full jitter"), so that
 * clients that failed together do not retry together. It comes on top of what the server asked for.
 * @param attempts how many attempts have failed, from 1
 * @param random from 0 to 1; 1 gives the longest pause
 */
export function backoffMs(
  attempts: number,
  { firstMs, longestMs }: BackoffOptions,
  random: number,
  retryAfterSeconds = 0,
): number {
  return retryAfterSeconds * 1_000 + Math.ceil(random * Math.min(firstMs * 2 ** (attempts - 1), longestMs));
}

export interface RetryOptions extends BackoffOptions {
  /** How many attempts there may be, the first one included; unlimited by default. */
  readonly maxAttempts?: number;
  /** When the last pause must have ended; unlimited by default. */
  readonly deadline?: Deadline;
  /** Waits, in milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** From 0 to 1, like `Math.random`; without it every pause is the longest possible. */
  readonly random?: () => number;
}

/** Counts the attempts at one piece of work, and pauses between them. */
export interface Retry {
  /**
   * Waits before the next attempt, at least as long as the server asked for.
   * @returns `false`, without waiting, if there may be no other attempt or no time is left for it
   */
  pause(retryAfterSeconds?: number): Promise<boolean>;
}

/** Starts counting the attempts at one piece of work. */
export function retry({ maxAttempts, deadline, sleep, random = () => 1, ...backoff }: RetryOptions): Retry {
  let attempts = 0;
  return {
    async pause(retryAfterSeconds) {
      attempts += 1;
      if (maxAttempts !== undefined && attempts >= maxAttempts) return false;
      const ms = backoffMs(attempts, backoff, random(), retryAfterSeconds);
      if (deadline && ms >= deadline.remainingMs()) return false;
      await sleep(ms);
      return true;
    },
  };
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const MAX_SECONDS = 3_600;

/**
 * Reads a `Retry-After` header (RFC 9110): seconds or a date.
 * @param nowMs milliseconds since 1970
 * @returns seconds from 1 to 3,600; `undefined` if the header is absent or invalid
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const seconds = /^\d{1,15}$/.test(header ?? '')
    ? Number(header)
    : HTTP_DATE.test(header ?? '')
      ? Math.ceil((Date.parse(header ?? '') - nowMs) / 1_000)
      : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), MAX_SECONDS);
}
