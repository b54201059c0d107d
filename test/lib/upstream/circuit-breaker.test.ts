import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NoAnswer } from '../../../lib/service/http-client/transport.ts';
import { CircuitBreaker, FAILURES_TO_OPEN, type HealthSign, OPEN_MS } from '../../../lib/upstream/circuit-breaker.ts';
import { anyClockSteps, WallClock } from '../../support/wall-clock.ts';

type Pass = ReturnType<CircuitBreaker['enter']>;

/** The pass of a request, or the seconds after which it may try again. */
function enter(breaker: CircuitBreaker, nowMs: number): Pass | number {
  try {
    return breaker.enter(nowMs);
  } catch (error) {
    if (error instanceof NoAnswer && error.retryAfterSeconds !== undefined) return error.retryAfterSeconds;
    throw error;
  }
}

/** A circuit breaker with these signs of ordinary requests, all at the same time. */
function breakerAfter(signs: readonly HealthSign[], nowMs = 0): CircuitBreaker {
  const breaker = new CircuitBreaker();
  for (const sign of signs) breaker.leave('ordinary', sign, nowMs);
  return breaker;
}
const failures = (count: number) => Array<HealthSign>(count).fill('failing');

const anyStep = fc.oneof(
  fc.constant('enter' as const),
  fc.integer({ min: 0, max: 2 * OPEN_MS }).map((waitMs) => ({ waitMs })),
  fc.record({
    which: fc.nat(20),
    sign: fc.oneof(
      { weight: 6, arbitrary: fc.constant<HealthSign>('failing') },
      { weight: 1, arbitrary: fc.constant<HealthSign>('working') },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_600_000 }).map((forMs): HealthSign => ({ forMs })) },
    ),
  }),
);

describe('a circuit breaker', () => {
  it('holds requests back while it is open, then lets one probe, and closes when the service works', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 200, size: 'max' }), (steps) => {
        const breaker = new CircuitBreaker();
        const passed: Pass[] = [];
        let nowMs = 1_000_000;
        /** The expected state, kept in another way. */
        const expected = { failures: 0, openUntilMs: 0, isOpen: false, isProbing: false };
        const open = (untilMs: number) =>
          Object.assign(expected, { failures: 0, isOpen: true, isProbing: false, openUntilMs: untilMs });
        for (const step of steps) {
          if (step === 'enter') {
            const entry = enter(breaker, nowMs);
            const leftMs = expected.isProbing ? 1 : expected.openUntilMs - nowMs;
            if (!expected.isOpen) expect(entry).toBe('ordinary');
            else if (leftMs > 0) expect(entry).toBe(Math.ceil(leftMs / 1_000));
            else {
              expect(entry).toBe('probe');
              expected.isProbing = true;
            }
            if (typeof entry === 'string') passed.push(entry);
          } else if ('waitMs' in step) nowMs += step.waitMs;
          else {
            const [pass] = passed.splice(step.which % Math.max(passed.length, 1), 1);
            if (!pass) continue;
            const { sign } = step;
            breaker.leave(pass, sign, nowMs);
            const counts = !expected.isOpen || (pass === 'probe' && expected.isProbing);
            if (typeof sign === 'object') {
              const untilMs = nowMs + sign.forMs;
              if (counts) open(untilMs);
              else if (!expected.isProbing) expected.openUntilMs = Math.max(expected.openUntilMs, untilMs);
            } else if (counts && sign === 'working') {
              Object.assign(expected, { failures: 0, isOpen: false, isProbing: false });
            } else if (counts && (expected.isOpen || ++expected.failures >= FAILURES_TO_OPEN)) open(nowMs + OPEN_MS);
          }
        }
        for (const pass of passed) breaker.leave(pass, 'failing', nowMs);
        nowMs += 3_600_000;
        const last = breaker.enter(nowMs);
        breaker.leave(last, 'working', nowMs);
        expect(breaker.enter(nowMs)).toBe('ordinary');
      }),
      { numRuns: 300 },
    );
  });

  it(`opens after ${FAILURES_TO_OPEN} failures in a row`, () => {
    expect(enter(breakerAfter(failures(FAILURES_TO_OPEN - 1)), 0)).toBe('ordinary');
    expect(enter(breakerAfter([...failures(FAILURES_TO_OPEN - 1), 'working', ...failures(1)]), 0)).toBe('ordinary');
    const open = breakerAfter(failures(FAILURES_TO_OPEN));
    expect([0, 1, 3_999, 4_000, 4_999].map((nowMs) => enter(open, nowMs))).toEqual([5, 5, 2, 1, 1]);
    expect(enter(open, OPEN_MS)).toBe('probe');
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
