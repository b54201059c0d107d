import { describe, expect, it } from 'vitest';
import { movedBy, offsetOf } from '../../tools/moved-date.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 6);

describe('the date of npm run test:moved', () => {
  it.each([
    ['+400d', '+400d'],
    ['-36h', '-36h'],
    ['2026-11-22', '+21600s'],
    ['2026-11-21', '-64800s'],
    ['2028-02-29', '+40111200s'],
  ])('%s is an offset of %s', (text, offset) => {
    expect(offsetOf(text, NOW_MS)).toBe(offset);
  });

  it.each(['', '400d', '+400', '+1w', '2027-02-29', '2026-13-01', '29.02.2028', '--help'])('%j is refused', (text) => {
    expect(offsetOf(text, NOW_MS)).toBeUndefined();
  });

  it('leaves the clock of timers as it is', () => {
    expect(movedBy('+1d', '/x.so')).toEqual({
      LD_PRELOAD: '/x.so',
      FAKETIME: '+1d',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
  });
});
