import type { Deadline } from '../service/deadline.ts';
import { NoAnswer, OUT_OF_TIME } from './transport.ts';

/** Tells when so many milliseconds are over, as `setTimeout` of `node:timers/promises`; a signal ends it early. */
export type Timer = (ms: number, value?: undefined, options?: { readonly signal?: AbortSignal }) => Promise<void>;

/** A clock, so that a simulation can hold it. */
export interface Time {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timer: Timer;
}

/**
 * Waits for work that others wait for too, as long as there is time.
 * @throws {NoAnswer} where the time is over first; the work goes on
 */
export async function within<T>(deadline: Deadline, work: Promise<T>, timer: Timer): Promise<T> {
  const isDone = new AbortController();
  const over = timer(deadline.remainingMs(), undefined, { signal: isDone.signal }).then(() => {
    throw new NoAnswer(false, OUT_OF_TIME);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    isDone.abort();
  }
}
