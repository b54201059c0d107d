import type { Deadline } from './deadline.ts';

/** The growth of the pauses between attempts. The maximum pause doubles with each attempt, up to a limit. */
interface BackoffOptions {
  /** The maximum of the first pause, in milliseconds. */
  readonly firstMs: number;
  /** The maximum of every pause, in milliseconds. */
  readonly longestMs: number;
}

/**
 * Returns the pause before the next attempt, in milliseconds. It is a random part of the maximum pause ("full jitter"),
 * so that clients that failed together do not retry together. If the server sent `Retry-After`, its seconds are added.
 * @param attempts the number of failed attempts, at least 1
 * @param random from 0 to 1; 1 gives the maximum pause
 */
export function backoffMs(
  attempts: number,
  { firstMs, longestMs }: BackoffOptions,
  random: number,
  retryAfterSeconds = 0,
): number {
  return retryAfterSeconds * 1_000 + Math.ceil(random * Math.min(firstMs * 2 ** (attempts - 1), longestMs));
}

/** The limits of the attempts at one piece of work, and of the pauses between them. */
export interface RetryOptions extends BackoffOptions {
  /** The maximum number of attempts, including the first; unlimited by default. */
  readonly maxAttempts?: number;
  /** The deadline of the last pause; none by default. */
  readonly deadline?: Deadline;
  /** Waits for a number of milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns a number from 0 to 1, like `Math.random`. Without it, every pause has its maximum length. */
  readonly random?: () => number;
}

/** The counter of the attempts at one piece of work. */
export interface Retry {
  /**
   * Counts a failed attempt and waits before the next one. Waits at least as long as the server's `Retry-After` says.
   * @returns `false`, without waiting, if no attempt or not enough time is left
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
/** The longest pause that a `Retry-After` header can request, in seconds. */
export const MAX_RETRY_AFTER_SECONDS = 3_600;

/**
 * Reads a `Retry-After` header (RFC 9110), which contains seconds or a date.
 * @param nowMs the current time, in milliseconds since 1970
 * @returns the pause in seconds, at least 1 and at most 3,600 whatever the header says; `undefined` if the header is
 * absent or invalid
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const seconds = /^\d{1,15}$/.test(header ?? '')
    ? Number(header)
    : HTTP_DATE.test(header ?? '')
      ? Math.ceil((Date.parse(header ?? '') - nowMs) / 1_000)
      : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS);
}

/** The statuses, beside those from 500, that say that a server could not take any request at the moment. */
const BUSY: readonly number[] = [408, 425, 429];

/** Whether an HTTP status says that the same request may succeed later. */
export function isBusyStatus(status: number): boolean {
  return status >= 500 || BUSY.includes(status);
}
