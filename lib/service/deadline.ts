import { elapsedMs } from '../contract/date.ts';

/** The budget of one request, handed down through every call made for it. */
export interface Deadline {
  /** Milliseconds left, 0 when it is over. */
  remainingMs(): number;
}

/**
 * A deadline at a moment of the clock. If the clock is set back behind the moment of this call, it is over.
 * @param atMs when the budget is over, in milliseconds since 1970
 */
export function deadlineAt(atMs: number, now: () => number): Deadline {
  const sinceMs = now();
  let isOver = false;
  return {
    remainingMs() {
      const leftMs = isOver ? 0 : Math.max(0, atMs - sinceMs - elapsedMs(sinceMs, now()));
      // It stays over when a clock that was set back comes to the same time again.
      isOver = leftMs === 0;
      return leftMs;
    },
  };
}

/** Resolves after some milliseconds, like `setTimeout` of `node:timers/promises`; the signal ends it early. */
export type Timer = (ms: number, value?: undefined, options?: { readonly signal?: AbortSignal }) => Promise<void>;

/** A clock and a timer. */
export interface Time {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timer: Timer;
}

/**
 * Waits for work until the deadline. The work itself goes on, because others may wait for it too.
 * @param timeoutError makes the error to throw if the deadline comes first
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
    isDone.abort();
  }
}
