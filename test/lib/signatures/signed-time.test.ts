import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readTime, writeTime } from '../../../lib/signatures/signed-time.ts';
import { TIME_UNITS, type TimeUnit } from '../../../lib/signatures/time-units.ts';

it.each(TIME_UNITS)('a time in %s is read as it is written, to the second', (unit) => {
  fc.assert(
    fc.property(fc.integer({ min: 1_000, max: 253_402_300_799_999 }), (atMs) => {
      const read = readTime(unit, writeTime(unit, atMs));
      expect(read).toBe(unit === 'milliseconds' ? atMs : Math.floor(atMs / 1_000) * 1_000);
    }),
  );
});

it.each<[TimeUnit, string[]]>([
  [
    'seconds',
    ['+1', '-1', ' 1', '1\t', '01', '1.0', '1e0', '0x1', '1_7', '１７', 'Infinity', 'NaN', '', '1'.repeat(13)],
  ],
  ['milliseconds', ['+1', '-1', ' 1', '1\n', '01', '1.0', '1e3', '', '1'.repeat(16)]],
  [
    'iso',
    [
      '2026-11-20T09:30:00',
      '2026-11-20T09:30:00+00:00',
      '2026-11-20t09:30:00z',
      '2026-11-20 09:30:00Z',
      '2026-02-30T09:30:00Z',
      '2026-13-01T09:30:00Z',
      '2026-11-20T24:00:00Z',
      '2026-11-20T09:30:60Z',
      '2026-11-20T09:30:00.Z',
      ' 2026-11-20T09:30:00Z',
      '2026-11-20T09:30:00Z\n',
      '1795167000',
      '',
    ],
  ],
])('a time in %s has one form', (unit, texts) => {
  for (const text of texts) expect([text, readTime(unit, text)]).toEqual([text, undefined]);
});

it('a date may have a fraction', () => {
  expect(readTime('iso', '2026-11-20T09:30:00.123456789Z')).toBe(Date.parse('2026-11-20T09:30:00.123Z'));
});
