import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceMs, elapsedMs, instantOf, inUtc, utc } from '../../../lib/contract/date.ts';

describe('instantOf', () => {
  it.each([
    '',
    '2026-01-31',
    '2026-01-31T09:00Z',
    '2026-01-31 09:00:00Z',
    '2026-01-31T09:00:00+5:00',
    '2026-01-31T09:00:00−05:00',
    '+002026-01-31T09:00:00Z',
    '２０２６-01-31T09:00:00Z',
    ' 2026-01-31T09:00:00Z',
    '2026-01-31T09:00:00Z\n',
  ])('refuses %j', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });

  it('reads every date that utc writes, and never throws', () => {
    const date = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (moment) => instantOf(utc(moment.getTime())) === BigInt(moment.getTime()) * 1_000_000n),
    );
    fc.assert(fc.property(fc.string(), (text) => ['bigint', 'undefined'].includes(typeof instantOf(text))));
  });
});

/** Parts of dates, some of them slightly out of range. */
const parts = fc.record({
  year: fc.constantFrom(0, 1, 1900, 1999, 2000, 2023, 2024, 2100, 9999),
  month: fc.integer({ min: 0, max: 13 }),
  day: fc.oneof(fc.integer({ min: 0, max: 32 }), fc.integer({ min: 28, max: 31 })),
  hour: fc.integer({ min: 0, max: 25 }),
  minute: fc.integer({ min: 0, max: 61 }),
  second: fc.integer({ min: 0, max: 61 }),
  fraction: fc.option(fc.stringMatching(/^[0-9]{0,10}$/), { nil: undefined }),
  offset: fc.option(
    fc.record({
      sign: fc.constantFrom(1, -1),
      hours: fc.integer({ min: 0, max: 25 }),
      minutes: fc.integer({ min: 0, max: 61 }),
    }),
    { nil: undefined },
  ),
  t: fc.constantFrom('T', 't'),
  z: fc.constantFrom('Z', 'z', ''),
});
type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;

const pad = (value: number, length = 2) => String(value).padStart(length, '0');
function written({ year, month, day, hour, minute, second, fraction, offset, t, z }: Parts): string {
  const zone = offset ? `${offset.sign > 0 ? '+' : '-'}${pad(offset.hours)}:${pad(offset.minutes)}` : z;
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}${t}${pad(hour)}:${pad(minute)}:${pad(second)}`;
  return `${date}${fraction === undefined ? '' : `.${fraction}`}${zone}`;
}

/**
 * Returns the moment by the calendar of `Date`, without a parser, or `undefined` if the contract does not allow the
 * date.
 */
function expected({ year, month, day, hour, minute, second, fraction = '0', offset }: Parts): bigint | undefined {
  if (hour > 23 || minute > 59 || second > 59 || !/^[0-9]{1,9}$/.test(fraction)) return undefined;
  if (offset && (offset.hours > 23 || offset.minutes > 59)) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute - (offset ? offset.sign * (offset.hours * 60 + offset.minutes) : 0), second);
  if (date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9_999) return undefined;
  return BigInt(date.getTime()) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

describe('a date of any shape', () => {
  it('is read exactly if the calendar and the contract allow it', () => {
    fc.assert(
      fc.property(parts, (each) => instantOf(written(each)) === expected(each)),
      { numRuns: 1_000 },
    );
  });

  it('is written in UTC as the same moment with up to 7 digits of the fraction', () => {
    fc.assert(
      fc.property(parts, (each) => {
        const text = written(each);
        const utcText = inUtc(text);
        const instant = instantOf(text);
        if (instant === undefined) return utcText === text;
        expect(utcText).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?Z$/);
        expect(instantOf(utcText)).toBe(instant - (((instant % 100n) + 100n) % 100n));
        expect(utcText.slice(19, -1)).toBe(each.fraction === undefined ? '' : `.${each.fraction.slice(0, 7)}`);
        return true;
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('distanceMs', () => {
  it('is the same both ways, and rounds up to whole milliseconds', () => {
    expect(distanceMs(0n, 2_000_000n)).toBe(2);
    expect(distanceMs(0n, 2_000_001n)).toBe(3);
    expect(distanceMs(2_500_000n, 0n)).toBe(3);
  });
});

it.each([
  [0, 0, 0],
  [1_000, 1_000, 0],
  [1_000, 1_001, 1],
  [1_000, 999, Number.POSITIVE_INFINITY],
  [Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY],
])('elapsedMs from %s to %s is %s', (sinceMs, nowMs, elapsed) => {
  expect(elapsedMs(sinceMs, nowMs)).toBe(elapsed);
});
