import { setTimeout } from 'node:timers/promises';

/**
 * Repeats work while a condition holds, at least once.
 * @returns the time of each repetition, in milliseconds
 */
export async function repeatWhile(isGoingOn: () => boolean, pauseMs: number, work: () => Promise<void>) {
  const tookMs: number[] = [];
  do {
    const beganMs = performance.now();
    await work();
    tookMs.push(performance.now() - beganMs);
    await setTimeout(pauseMs);
  } while (isGoingOn());
  return tookMs;
}

/** Returns the value that 99 % of the values do not exceed; 0 if there are none. */
export function p99Of(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0;
}
