import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * Returns a clock in milliseconds that stands still while a process waits for a processor that others use. So it shows
 * what the process takes itself, also on a busy machine.
 */
export function clockOf(pid: number | undefined): () => number {
  let waitedMs = 0;
  return () => {
    try {
      const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
      waitedMs = Number(waitedNs) / 1e6;
    } catch {
      // The process has ended, or the system does not tell.
    }
    return performance.now() - waitedMs;
  };
}

/**
 * Repeats work while a condition holds, at least once.
 * @returns the time of each repetition, in milliseconds
 */
export async function repeatWhile(
  isGoingOn: () => boolean,
  pauseMs: number,
  work: () => Promise<void>,
  clock = () => performance.now(),
): Promise<number[]> {
  const tookMs: number[] = [];
  do {
    const beganMs = clock();
    await work();
    tookMs.push(clock() - beganMs);
    await setTimeout(pauseMs);
  } while (isGoingOn());
  return tookMs;
}

/** Returns the value that 99 % of the values do not exceed; 0 if there are none. */
export function p99Of(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0;
}
