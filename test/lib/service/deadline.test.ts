import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import { anyClockSteps, WallClock } from '../../support/wall-clock.ts';

describe('a deadline', () => {
  it('is over at its moment, and never below zero', () => {
    const clock = new WallClock();
    const { remainingMs } = deadlineAt(clock.now() + 1_000, clock.now);
    const left = [0, 1, 998, 1, 5_000].map((passMs) => {
      clock.apply({ passMs, backMs: 0 });
      return remainingMs();
    });
    expect(left).toEqual([1_000, 999, 1, 0, 0]);
  });

  it('is over once the clock is set back behind its start', () => {
    const clock = new WallClock();
    const { remainingMs } = deadlineAt(clock.now() + 1_000, clock.now);
    clock.apply({ passMs: 10, backMs: 3_600_000 });
    expect(remainingMs()).toBe(0);
    clock.apply({ passMs: 3_600_000, backMs: 0 });
    expect(remainingMs()).toBe(0);
  });

  it('gives no more time than its budget after the last time that the clock was set back', () => {
    fc.assert(
      fc.property(anyClockSteps, (steps) => {
        const clock = new WallClock();
        const { remainingMs } = deadlineAt(clock.now() + 5_000, clock.now);
        for (const step of steps) {
          clock.apply(step);
          expect(remainingMs()).toBeLessThanOrEqual(Math.max(0, 5_000 - (clock.realMs - clock.setBackAtMs)));
        }
      }),
    );
  });
});
