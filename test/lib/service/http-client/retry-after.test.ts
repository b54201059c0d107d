import { expect, it } from 'vitest';
import { retryAfterSeconds } from '../../../../lib/service/retry.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

it.each([
  ['seconds', '7', 7],
  ['no header', undefined, undefined],
  ['an empty text', '', undefined],
  ['zero, which would be a busy loop', '0', 1],
  ['too many seconds', '999999999', 3_600],
  ['a negative number', '-3', undefined],
  ['a fraction', '1.5', undefined],
  ['words', 'soon', undefined],
  ['a future date', 'Fri, 20 Nov 2026 12:00:30 GMT', 30],
  ['a past date', 'Fri, 20 Nov 2026 11:00:00 GMT', 1],
  ['a date far away', 'Fri, 20 Nov 2099 12:00:00 GMT', 3_600],
  ['an impossible date', 'Fri, 99 Nov 2026 12:00:00 GMT', undefined],
  ['a date in another format', '2026-11-20T12:00:30Z', undefined],
])('reads %s', (_, header, seconds) => {
  expect(retryAfterSeconds(header, NOW)).toBe(seconds);
});
