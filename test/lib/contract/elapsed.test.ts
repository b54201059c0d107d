import { expect, it } from 'vitest';
import { elapsedMs } from '../../../lib/contract/date.ts';

it.each([
  [0, 0, 0],
  [1_000, 1_000, 0],
  [1_000, 1_001, 1],
  [1_000, 999, Number.POSITIVE_INFINITY],
  [Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY],
])('since %s, seen from %s, so many milliseconds have passed: %s', (sinceMs, nowMs, elapsed) => {
  expect(elapsedMs(sinceMs, nowMs)).toBe(elapsed);
});
