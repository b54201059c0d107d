import { expect, test } from 'vitest';
import { retryAfterSeconds } from '../../../lib/upstream/retry-after.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

test.each([
  ['seconds', '7', 7],
  ['nothing', undefined, 5],
  ['an empty text', '', 5],
  ['zero, which would be a busy loop', '0', 1],
  ['far too many seconds', '999999999', 3_600],
  ['a negative number', '-3', 5],
  ['a fraction', '1.5', 5],
  ['words', 'soon', 5],
  ['a date to come', 'Fri, 20 Nov 2026 12:00:30 GMT', 30],
  ['a date gone by', 'Fri, 20 Nov 2026 11:00:00 GMT', 1],
  ['a date far away', 'Fri, 20 Nov 2099 12:00:00 GMT', 3_600],
  ['a date that is none', 'Fri, 99 Nov 2026 12:00:00 GMT', 5],
  ['a date of another form', '2026-11-20T12:00:30Z', 5],
])('%s', (_, header, seconds) => {
  expect(retryAfterSeconds(header, NOW)).toBe(seconds);
});
