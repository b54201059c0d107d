import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPANY_RATE, type Rate } from '../../../lib/contract/settings.ts';
import { tokenBuckets } from '../../../lib/credentials/rate-limit.ts';

/** Buckets with a clock that the test moves. */
function world(rate: Rate) {
  const clock = { ms: Date.UTC(2026, 10, 20) };
  return { clock, take: tokenBuckets({ ...rate, now: () => clock.ms }).take };
}

describe('a token bucket', () => {
  it('allows a burst, and then a request for each new token', () => {
    const { clock, take } = world({ perSecond: 4, burst: 3 });
    expect([1, 2, 3, 4].map(() => take('acme'))).toEqual([true, true, true, false]);
    clock.ms += 249;
    expect(take('acme')).toBe(false);
    clock.ms += 1;
    expect([1, 2].map(() => take('acme'))).toEqual([true, false]);
    clock.ms += 60_000;
    expect([1, 2, 3, 4].map(() => take('acme'))).toEqual([true, true, true, false]);
  });

  it('goes on from its level after the clock was set back', () => {
    const { clock, take } = world({ perSecond: 1, burst: 1 });
    take('acme');
    clock.ms -= 3_600_000;
    expect(take('acme')).toBe(false);
    clock.ms += 1_000;
    expect(take('acme')).toBe(true);
  });

  it('allows each key the burst and the rate in any period, and no less', () => {
    const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 2_000 }), burst: fc.integer({ min: 1, max: 20 }) });
    const request = fc.record({ key: fc.constantFrom('a', 'b', 'c'), afterMs: fc.oneof(fc.nat(3), fc.nat(2_000)) });
    fc.assert(
      fc.property(rates, fc.array(request, { maxLength: 60 }), (rate, requests) => {
        const { clock, take } = world(rate);
        const allowedAtMs = new Map<string, number[]>();
        for (const { key, afterMs } of requests) {
          clock.ms += afterMs;
          const before = allowedAtMs.get(key) ?? [];
          const most = (fromMs: number) => rate.burst + (rate.perSecond * (clock.ms - fromMs)) / 1_000;
          const hasRoom = before.every((fromMs, index) => before.length - index + 1 <= most(fromMs));
          expect(take(key)).toBe(hasRoom);
          if (hasRoom) allowedAtMs.set(key, [...before, clock.ms]);
        }
      }),
    );
  });
});

describe('a rate', () => {
  it.each([
    ['50:100', { perSecond: 50, burst: 100 }],
    ['50', { perSecond: 50, burst: 100 }],
    ['0', undefined],
    ['50:', undefined],
    ['100000', undefined],
  ])('reads %j', (text, rate) => {
    expect(COMPANY_RATE.parse(text)).toEqual(rate);
  });
});
