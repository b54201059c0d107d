import type { Deadline } from '../service/deadline.ts';
import { NoAnswer, OUT_OF_TIME } from './transport.ts';

/** What passes the time, as `setTimeout` of `node:timers/promises`; a signal ends it early. */
export type Sleep = (ms: number, value?: undefined, options?: { readonly signal?: AbortSignal }) => Promise<void>;

/** A clock, so that a test can hold it. */
export interface Time {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: Sleep;
}

/**
 * Waits for work that others wait for too, as long as there is time.
 * @throws {NoAnswer} where the time is over first; the work goes on
 */
export async function within<T>(deadline: Deadline, work: Promise<T>, sleep: Sleep): Promise<T> {
  const isDone = new AbortController();
  const over = sleep(deadline.remainingMs(), undefined, { signal: isDone.signal }).then(() => {
    throw new NoAnswer(false, OUT_OF_TIME);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    isDone.abort();
  }
}
