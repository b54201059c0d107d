import { readSeconds, type TimeUnit } from './time-units.ts';

/** Matches whole milliseconds since 1970, without sign, leading zero, fraction or space. */
const MILLISECONDS = /^[1-9]\d{0,14}$/;
/** Matches a date in UTC, such as `2026-11-20T09:30:00Z`. */
const ISO = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z$/;

/** Parses a signed time. @returns milliseconds since 1970; `undefined` if the text has another form */
export function readTime(unit: TimeUnit, text: string): number | undefined {
  if (unit === 'seconds') return readSeconds(text);
  if (unit === 'milliseconds') return MILLISECONDS.test(text) ? Number(text) : undefined;
  const [, seconds] = ISO.exec(text) ?? [];
  const atMs = seconds === undefined ? Number.NaN : Date.parse(text);
  // A day that the month does not have would be a day of the next month.
  return Number.isNaN(atMs) || !new Date(atMs).toISOString().startsWith(seconds ?? '') ? undefined : atMs;
}

/** Formats a signed time. @param atMs milliseconds since 1970 */
export function writeTime(unit: TimeUnit, atMs: number): string {
  if (unit === 'seconds') return String(Math.floor(atMs / 1_000));
  return unit === 'milliseconds' ? String(atMs) : new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
