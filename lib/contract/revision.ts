import { instantOf, msOf } from './date.ts';

/** What a revision is, for the text of a fault. */
export const REVISION_RULE =
  'A revision is a whole number from 0 to 2^53-1, or an RFC 3339 date from 1970 on, such as 2026-01-31T09:00:00Z.';

/** Reads a revision: a whole number, or a date, which counts as its milliseconds since 1970; `undefined` if it is none. */
export function revisionOf(value: unknown): number | undefined {
  const instant = typeof value === 'string' ? instantOf(value) : undefined;
  const number = instant === undefined ? value : msOf(instant);
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
