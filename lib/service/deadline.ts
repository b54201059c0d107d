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
