import { expect, it } from 'vitest';
import { backoffMs, type RetryOptions, retry } from '../../../lib/service/retry.ts';

const BACKOFF = { firstMs: 100, longestMs: 500 };

/** The pauses until there is no other attempt, at most ten. */
async function pausesOf(options: Partial<RetryOptions>, retryAfterSeconds?: number): Promise<number[]> {
  const pauses: number[] = [];
  const sleep = async (ms: number) => void pauses.push(ms);
  const { pause } = retry({ ...BACKOFF, sleep, ...options });
  for (let n = 0; n < 10; n++) if (!(await pause(retryAfterSeconds))) break;
  return pauses;
}

it.each([
  [1, 1, 0, 100],
  [2, 1, 0, 200],
  [3, 1, 0, 400],
  [4, 1, 0, 500],
  [60, 1, 0, 500],
  [3, 0.5, 0, 200],
  [3, 0, 0, 0],
  [1, 0.001, 0, 1],
  [3, 0.5, 7, 7_200],
])('after attempt %i with random %d and Retry-After %i pauses for %i ms', (attempts, random, seconds, ms) => {
  expect(backoffMs(attempts, BACKOFF, random, seconds)).toBe(ms);
});

it('pauses as long as possible without random numbers', async () => {
  expect(await pausesOf({})).toEqual([100, 200, 400, 500, 500, 500, 500, 500, 500, 500]);
});

it('draws a random number for each pause', async () => {
  const numbers = [0.5, 0.1, 1];
  expect(await pausesOf({ mostAttempts: 4, random: () => numbers.shift() ?? 0 })).toEqual([50, 20, 400]);
});

it('counts the first attempt', async () => {
  expect(await pausesOf({ mostAttempts: 3 })).toEqual([100, 200]);
  expect(await pausesOf({ mostAttempts: 1 })).toEqual([]);
});

it.each([
  [100, []],
  [101, [100]],
  [300, [100]],
  [301, [100, 200]],
])('does not pause until a deadline in %i ms', async (leftMs, expected) => {
  let nowMs = 0;
  const pauses: number[] = [];
  const sleep = async (ms: number) => {
    nowMs += ms;
    pauses.push(ms);
  };
  const { pause } = retry({ ...BACKOFF, sleep, deadline: { remainingMs: () => leftMs - nowMs } });
  while (await pause());
  expect(pauses).toEqual(expected);
});

it('waits at least as long as the server asked for', async () => {
  expect(await pausesOf({ mostAttempts: 3 }, 2)).toEqual([2_100, 2_200]);
  expect(await pausesOf({ deadline: { remainingMs: () => 2_100 } }, 2)).toEqual([]);
});
