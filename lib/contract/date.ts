/**
 * Matches an RFC 3339 date with up to 9 fraction digits and an optional offset. Also matches days that do not exist,
 * such as 30 February.
 */
export const DATE =
  /^([0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(?:\.([0-9]{1,9}))?([Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?$/;

const NS_PER_MS = 1_000_000n;

/** The fraction digits that an upstream service reads. */
const UPSTREAM_DIGITS = 7;

interface Parsed {
  /** The date without its fraction, in milliseconds since 1970. */
  readonly ms: number;
  /** The digits after the decimal point, as the text has them; empty if there are none. */
  readonly fraction: string;
}

/** Parses a date; `undefined` if the text is not a date, or if its year in UTC is outside 0000 to 9999. */
function parse(text: string): Parsed | undefined {
  const date = read(text);
  return date && hasFourDigits(date) ? date : undefined;
}

/** Parses a date of any year; `undefined` if the text is not a date. A date without an offset is in UTC. */
function read(text: string): Parsed | undefined {
  const match = DATE.exec(text);
  if (!match) return undefined;
  const [, local = '', fraction = '', offset = 'Z'] = match;
  const iso = local.toUpperCase();
  const localMs = Date.parse(`${iso}Z`);
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(localMs) || new Date(localMs).getUTCDate() !== Number(iso.slice(8, 10))) return undefined;
  return { ms: localMs - offsetMs(offset), fraction };
}

/** Whether the year of a date in UTC has four digits, as RFC 3339 requires. */
function hasFourDigits({ ms }: Parsed): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

/** Whether a text has the form of a date, but its year in UTC is outside 0000 to 9999. */
export function isBeyondYears(text: string): boolean {
  const date = read(text);
  return date !== undefined && !hasFourDigits(date);
}

function offsetMs(offset: string): number {
  const [, sign = '', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? -size : size;
}

/**
 * Writes a moment in UTC without its fraction and without `Z`. A year outside 0000 to 9999 gets a sign and six digits,
 * which RFC 3339 does not allow.
 */
function wholeSeconds(ms: number): string {
  return new Date(ms).toISOString().slice(0, -5);
}

/**
 * Reads a date as the number of nanoseconds since 1970. The result is a bigint, because a number would lose the last of
 * 9 fraction digits.
 * @returns `undefined` if the text is not a valid date
 */
export function instantOf(text: string): bigint | undefined {
  const parsed = parse(text);
  return parsed && instantAt(parsed.ms) + BigInt(parsed.fraction.padEnd(9, '0'));
}

/** Converts milliseconds since 1970 to nanoseconds since 1970, as `instantOf` returns them. */
export function instantAt(ms: number): bigint {
  return BigInt(ms) * NS_PER_MS;
}

/** Converts nanoseconds since 1970 to whole milliseconds since 1970. */
export function msOf(instant: bigint): number {
  return Number(instant / NS_PER_MS);
}

/**
 * Converts a date to UTC with `Z` for an upstream service, and keeps up to 7 fraction digits. A text that is not a date
 * stays unchanged.
 */
export function inUtc(text: string): string {
  const parsed = parse(text);
  if (!parsed) return text;
  const fraction = parsed.fraction.slice(0, UPSTREAM_DIGITS);
  return `${wholeSeconds(parsed.ms)}${fraction && `.${fraction}`}Z`;
}

/**
 * Returns the distance between two moments in milliseconds. It is rounded up, so that one nanosecond over a limit counts
 * as over the limit.
 * @param a a moment in nanoseconds since 1970, like `b`
 */
export function distanceMs(a: bigint, b: bigint): number {
  return Number(((a > b ? a - b : b - a) + NS_PER_MS - 1n) / NS_PER_MS);
}

/** Writes milliseconds since 1970 as a date in UTC, with milliseconds and `Z`. */
export function utc(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Returns the time that has passed since a moment, in milliseconds. If the moment is in the future, the clock was set
 * back. Then the result is infinity, so that every interval that began at the moment counts as over.
 * @param sinceMs milliseconds since 1970, by the same clock as `nowMs`
 */
export function elapsedMs(sinceMs: number, nowMs: number): number {
  return nowMs < sinceMs ? Number.POSITIVE_INFINITY : nowMs - sinceMs;
}
