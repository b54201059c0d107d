import type { Deadline } from '../service/deadline.ts';
import type { Failure, SegueError } from './error.ts';

/** How a request ended: with what was asked for, or not. */
export type End<T> = { readonly value: T } | { readonly failure: Failure };

/** What waiting takes. */
export interface InsistOptions {
  /** Waits for so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** From 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  /** The error to throw for a failure. */
  readonly errorOf: (failure: Failure) => SegueError;
}

const MOST_ATTEMPTS = 10;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Does again what may be done again, until it succeeds, fails for good, or the time is over.
 * @param hasKey whether a request that was perhaps carried out is carried out once all the same
 * @throws {SegueError}
 */
export async function insist<T>(
  attempt: () => Promise<End<T>>,
  deadline: Deadline,
  hasKey: boolean,
  { sleep, random, errorOf }: InsistOptions,
): Promise<T> {
  let wasOpen = false;
  for (let attempts = 1; ; attempts += 1) {
    const end = await attempt();
    if ('value' in end) return end.value;
    const { failure } = end;
    const { outcome, operationId } = failure;
    // Where there is an operation to ask, that is asked.
    const isOpenQuestion = hasKey && outcome === 'unknown' && operationId === undefined;
    const mayRepeat = (failure.retryable || isOpenQuestion) && attempts < MOST_ATTEMPTS;
    const backoffMs = random() * Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS);
    const pauseMs = (failure.retryAfterSeconds ?? 0) * 1_000 + backoffMs;
    if (!mayRepeat || pauseMs >= deadline.remainingMs()) {
      // That this attempt did nothing says nothing about the ones before it, unless it is Segue's last word on them.
      throw errorOf(wasOpen && !isLastWord(failure) ? { ...failure, outcome: 'unknown' } : failure);
    }
    wasOpen ||= outcome === 'unknown';
    await sleep(pauseMs);
  }
}

/** Whether a failure is Segue's judgement of the request and its key, and not of the attempt. */
function isLastWord({ type, retryable, status }: Failure): boolean {
  const isOfSegue = type !== 'unreadable-answer' && type !== 'no-answer';
  return isOfSegue && !retryable && status !== 401 && status !== 403;
}
