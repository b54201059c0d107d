import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceMs, instantOf, utc } from '../../../lib/contract/date.ts';

describe('instantOf', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T00:00:01Z', 10_000_000n],
    ['1970-01-01T00:00:00.0000001Z', 1n],
    ['1970-01-01T00:00:00.1+00:00', 1_000_000n],
    ['1970-01-01t00:00:00.123z', 1_230_000n],
    ['1969-12-31T23:59:59.9999999Z', -1n],
    ['2024-02-29T12:00:00Z', 17_092_080_000_000_000n],
  ])('reads %s', (text, ticks) => {
    expect(instantOf(text)).toBe(ticks);
  });

  it.each([
    '',
    '2026-01-31',
    '2026-01-31T09:00Z',
    '2026-01-31 09:00:00Z',
    '2026-01-31T09:00:00',
    '2026-01-31T09:00:00+01:00',
    '2026-01-31T09:00:00-00:00',
    '2026-01-31T09:00:00.Z',
    '2026-01-31T09:00:00.12345678Z',
    '2026-02-30T09:00:00Z',
    '2025-02-29T09:00:00Z',
    '2026-13-01T09:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-12-31T23:59:60Z',
    '+002026-01-31T09:00:00Z',
    '２０２６-01-31T09:00:00Z',
    ' 2026-01-31T09:00:00Z',
    '2026-01-31T09:00:00Z\n',
  ])('refuses %j', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });

  it('reads back every moment that utc writes, and nothing throws', () => {
    const date = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(fc.property(date, (moment) => instantOf(utc(moment.getTime())) === BigInt(moment.getTime()) * 10_000n));
    fc.assert(fc.property(fc.string(), (text) => ['bigint', 'undefined'].includes(typeof instantOf(text))));
  });
});

describe('distanceMs', () => {
  it('is the same both ways, in whole milliseconds, and a tick more is one more', () => {
    expect(distanceMs(0n, 20_000n)).toBe(2);
    expect(distanceMs(0n, 20_001n)).toBe(3);
    expect(distanceMs(25_000n, 0n)).toBe(3);
  });
});
