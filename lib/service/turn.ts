import { setImmediate } from 'node:timers';

const waiting: (() => void)[] = [];

/**
 * Waits for a turn of the event loop of its own. Only one of all callers goes on in each turn, the one that has waited
 * longest. So however many requests and jobs have work to do, a new request waits for one slice of it at most.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (waiting.push(resolve) === 1) setImmediate(startNext);
  return promise;
}

function startNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
}

/** Runs work to its end, each step after the first in a turn of its own. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

/** The number of small items that one slice of long work handles, in a few milliseconds at most. */
export const ITEMS_OF_SLICE = 1_000;

/** Divides small items into slices. Other work has a turn between two of them. */
export async function* slicesOf<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < items.length; at += ITEMS_OF_SLICE) {
    if (at > 0) await nextTurn();
    yield items.slice(at, at + ITEMS_OF_SLICE);
  }
}
