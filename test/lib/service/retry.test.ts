import { expect, it } from 'vitest';
import { backoffMs, type RetryOptions, retry, retryAfterSeconds } from '../../../lib/service/retry.ts';

const BACKOFF = { firstMs: 100, longestMs: 500 };

/** Returns the pauses until there is no further attempt, at most ten. */
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
  expect(await pausesOf({ maxAttempts: 4, random: () => numbers.shift() ?? 0 })).toEqual([50, 20, 400]);
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
  expect(await pausesOf({ maxAttempts: 3 }, 2)).toEqual([2_100, 2_200]);
  expect(await pausesOf({ deadline: { remainingMs: () => 2_100 } }, 2)).toEqual([]);
});

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

it.each([
  ['seconds', '7', 7],
  ['no header', undefined, undefined],
  ['zero, which would be a busy loop', '0', 1],
  ['too many seconds', '999999999', 3_600],
  ['a negative number', '-3', undefined],
  ['a future date', 'Fri, 20 Nov 2026 12:00:30 GMT', 30],
  ['a past date', 'Fri, 20 Nov 2026 11:00:00 GMT', 1],
  ['a date far away', 'Fri, 20 Nov 2099 12:00:00 GMT', 3_600],
  ['an impossible date', 'Fri, 99 Nov 2026 12:00:00 GMT', undefined],
  ['a date in another format', '2026-11-20T12:00:30Z', undefined],
])('reads Retry-After with %s', (_, header, seconds) => {
  expect(retryAfterSeconds(header, NOW)).toBe(seconds);
});
