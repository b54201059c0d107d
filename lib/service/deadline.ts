import { elapsedMs } from '../contract/date.ts';

/** The deadline of one request. Every call for the request gets the same deadline. */
export interface Deadline {
  /** Returns the time left until the deadline, in milliseconds; 0 after the deadline. */
  remainingMs(): number;
}

/**
 * Makes a deadline at a point in time. If the clock is set back to before this call, the deadline counts as passed.
 * @param atMs the deadline, in milliseconds since 1970
 * @param now returns the current time, in milliseconds since 1970
 */
export function deadlineAt(atMs: number, now: () => number): Deadline {
  const sinceMs = now();
  let isOver = false;
  return {
    remainingMs() {
      const leftMs = isOver ? 0 : Math.max(0, atMs - sinceMs - elapsedMs(sinceMs, now()));
      // A deadline that has passed stays passed, even if the clock is set back.
      isOver = leftMs === 0;
      return leftMs;
    },
  };
}

/** How long before a time limit work must end, in milliseconds, by what the rest of the time is for. */
export const MARGIN_MS = {
  /** To send the answer to a request, or to report the failure of a task. */
  answer: 500,
  /** To return what a worker's run did. Each attempt has stored its own result by then. */
  result: 2_000,
  /** To store, return and log what any other background run did. */
  report: 5_000,
} as const;

/**
 * Makes the deadline of work with a time limit.
 * @param limitMs the time until the limit, in milliseconds
 * @param margin what has to be done between the deadline and the limit
 */
export function deadlineBefore(limitMs: number, now: () => number, margin: keyof typeof MARGIN_MS): Deadline {
  return deadlineAt(now() + limitMs - MARGIN_MS[margin], now);
}

/** Returns a deadline that is some milliseconds earlier than another one. */
export function earlier(deadline: Deadline, ms: number): Deadline {
  return { remainingMs: () => Math.max(0, deadline.remainingMs() - ms) };
}

/** Returns a deadline that is at most some milliseconds from now, and not later than another one. */
export function within(ms: number, deadline: Deadline, now: () => number): Deadline {
  const own = deadlineAt(now() + ms, now);
  return { remainingMs: () => Math.min(own.remainingMs(), deadline.remainingMs()) };
}

/** How long a lease outlasts the deadline of its call, in milliseconds. In this time the last write can arrive. */
const LATE_WRITE_MS = 1_000;

/** Returns how long a lease lasts that a call takes now, in milliseconds. */
export function leaseMsOf(deadline: Deadline): number {
  return deadline.remainingMs() + LATE_WRITE_MS;
}

/** Waits for a number of milliseconds, like `setTimeout` of `node:timers/promises`. The signal ends the wait early. */
export type Timer = (ms: number, value?: undefined, options?: { readonly signal?: AbortSignal }) => Promise<void>;

/** A clock and a timer. */
export interface Time {
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly timer: Timer;
}

/**
 * Waits for a promise, but only until the deadline. Does not stop the work, because other requests may wait for it too.
 * @param timeoutError makes the error that is thrown at the deadline
 */
export async function raceDeadline<T>(
  deadline: Deadline,
  work: Promise<T>,
  timer: Timer,
  timeoutError: () => Error,
): Promise<T> {
  const isDone = new AbortController();
  const timeout = timer(deadline.remainingMs(), undefined, { signal: isDone.signal }).then(() => {
    throw timeoutError();
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    // A reason of its own, because the default one is an error with a stack trace.
    isDone.abort('done');
  }
}
