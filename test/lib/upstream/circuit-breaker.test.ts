import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NoAnswer } from '../../../lib/service/http-client/exchange.ts';
import { CircuitBreaker, FAILURES_TO_OPEN, type HealthSign, OPEN_MS } from '../../../lib/upstream/circuit-breaker.ts';
import { anyClockSteps, WallClock } from '../../support/wall-clock.ts';

type Pass = ReturnType<CircuitBreaker['enter']>;

/** Returns the pass of a request, or the seconds after which it may try again. */
function enter(breaker: CircuitBreaker, nowMs: number): Pass | number {
  try {
    return breaker.enter(nowMs);
  } catch (error) {
    if (error instanceof NoAnswer && error.retryAfterSeconds !== undefined) return error.retryAfterSeconds;
    throw error;
  }
}

/** Returns a circuit breaker with these signs of ordinary requests, all at the same time. */
function breakerAfter(signs: readonly HealthSign[], nowMs = 0): CircuitBreaker {
  const breaker = new CircuitBreaker();
  for (const sign of signs) breaker.leave('ordinary', sign, nowMs);
  return breaker;
}
const failures = (count: number) => Array<HealthSign>(count).fill('failing');

describe('a circuit breaker', () => {
  it('lets one probe at a time, whose end decides', () => {
    const breaker = breakerAfter(failures(FAILURES_TO_OPEN));
    expect([0, 1, 3_999, 4_000, 4_999].map((nowMs) => enter(breaker, nowMs))).toEqual([5, 5, 2, 1, 1]);
    expect([enter(breaker, OPEN_MS), enter(breaker, OPEN_MS)]).toEqual(['probe', 1]);
    // The results of earlier requests change nothing.
    breaker.leave('ordinary', 'working', OPEN_MS);
    expect(enter(breaker, OPEN_MS)).toBe(1);
    breaker.leave('probe', 'failing', OPEN_MS);
    expect([enter(breaker, OPEN_MS), enter(breaker, 2 * OPEN_MS)]).toEqual([5, 'probe']);
    breaker.leave('probe', 'working', 2 * OPEN_MS);
    for (const sign of failures(FAILURES_TO_OPEN - 1)) breaker.leave('ordinary', sign, 2 * OPEN_MS);
    expect(enter(breaker, 2 * OPEN_MS)).toBe('ordinary');
  });

  it('stays open as long as the latest request was asked to wait', () => {
    const breaker = breakerAfter([{ forMs: 10_000 }, { forMs: 20_000 }, { forMs: 5_000 }, 'working']);
    expect([enter(breaker, 0), enter(breaker, 19_999), enter(breaker, 20_000)]).toEqual([20, 1, 'probe']);
  });

  it('never stays open longer than asked, even if the clock is set back', () => {
    const setBack = breakerAfter([{ forMs: 5_000 }], 3_600_000);
    expect(enter(setBack, 3_599_999)).toBe('probe');
    fc.assert(
      fc.property(anyClockSteps, (steps) => {
        const clock = new WallClock();
        const breaker = breakerAfter([{ forMs: 60_000 }], clock.now());
        let openedAtMs = clock.realMs;
        for (const step of steps) {
          clock.apply(step);
          const entry = enter(breaker, clock.now());
          if (typeof entry === 'number') {
            expect(clock.realMs - Math.max(openedAtMs, clock.setBackAtMs)).toBeLessThan(60_000);
            continue;
          }
          breaker.leave(entry, { forMs: 60_000 }, clock.now());
          openedAtMs = clock.realMs;
        }
      }),
    );
  });
});
