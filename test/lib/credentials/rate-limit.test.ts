import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Rate, tokenBuckets } from '../../../lib/credentials/rate-limit.ts';

/** Buckets with a clock that is moved by hand. */
function bucketsAt(rate: Rate) {
  const clock = { ms: Date.UTC(2026, 10, 20) };
  return { clock, mayAsk: tokenBuckets({ ...rate, now: () => clock.ms }).take };
}

test('a burst goes through at once, then one request each time that a token has come', () => {
  const { clock, mayAsk } = bucketsAt({ perSecond: 4, burst: 3 });
  expect([1, 2, 3, 4].map(() => mayAsk('acme'))).toEqual([true, true, true, false]);
  clock.ms += 249;
  expect(mayAsk('acme')).toBe(false);
  clock.ms += 1;
  expect([1, 2].map(() => mayAsk('acme'))).toEqual([true, false]);
  clock.ms += 60_000;
  expect([1, 2, 3, 4].map(() => mayAsk('acme'))).toEqual([true, true, true, false]);
});

test('companies have a bucket each', () => {
  const { mayAsk } = bucketsAt({ perSecond: 1, burst: 1 });
  expect(['acme', 'acme', 'other', 'other'].map(mayAsk)).toEqual([true, false, true, false]);
});

test('a clock that is set back shuts nobody out', () => {
  const { clock, mayAsk } = bucketsAt({ perSecond: 1, burst: 1 });
  mayAsk('acme');
  clock.ms -= 3_600_000;
  expect(mayAsk('acme')).toBe(false);
  clock.ms += 1_000;
  expect(mayAsk('acme')).toBe(true);
});

const Rates = fc.record({ perSecond: fc.integer({ min: 1, max: 2_000 }), burst: fc.integer({ min: 1, max: 20 }) });
/** Requests: whose, and how long after the one before. */
const Requests = fc.array(
  fc.record({ company: fc.constantFrom('a', 'b', 'c'), afterMs: fc.oneof(fc.nat(3), fc.nat(2_000)) }),
  { maxLength: 60 },
);

test('a company gets no more than the burst and the rate in any stretch of time, and no less', () => {
  fc.assert(
    fc.property(Rates, Requests, (rate, requests) => {
      const { clock, mayAsk } = bucketsAt(rate);
      const allowedAtMs = new Map<string, number[]>();
      for (const { company, afterMs } of requests) {
        clock.ms += afterMs;
        const before = allowedAtMs.get(company) ?? [];
        const mostIn = (fromMs: number) => rate.burst + (rate.perSecond * (clock.ms - fromMs)) / 1_000;
        const hasRoom = before.every((fromMs, index) => before.length - index + 1 <= mostIn(fromMs));
        expect(mayAsk(company)).toBe(hasRoom);
        if (hasRoom) allowedAtMs.set(company, [...before, clock.ms]);
      }
    }),
  );
});
