/** RFC 3339 with up to 7 fraction digits and an optional offset. It accepts 30 February. */
export const DATE =
  /^([0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(?:\.([0-9]{1,7}))?([Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?$/;

const TICKS_PER_MS = 10_000n;

interface Parsed {
  /** The whole seconds, in milliseconds since 1970. */
  readonly ms: number;
  /** The digits of the fraction as they were written. */
  readonly fraction: string;
}

/** Reads a date whose year has four digits in UTC too. */
function parse(text: string): Parsed | undefined {
  const date = read(text);
  return date && hasFourDigits(date) ? date : undefined;
}

/** Without an offset a date is in UTC, as in the names of the fields. */
function read(text: string): Parsed | undefined {
  const match = DATE.exec(text);
  if (!match) return undefined;
  const [, local = '', fraction = '', offset = 'Z'] = match;
  const iso = local.toUpperCase();
  const localMs = Date.parse(`${iso}Z`);
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(localMs) || wholeSeconds(localMs) !== iso) return undefined;
  return { ms: localMs - offsetMs(offset), fraction };
}

/** Whether RFC 3339 can write the moment in UTC. */
function hasFourDigits({ ms }: Parsed): boolean {
  return /^\d{4}-/.test(wholeSeconds(ms));
}

/** Whether a text would be a date, but its year in UTC is outside 0000 to 9999. */
export function isBeyondYears(text: string): boolean {
  const date = read(text);
  return date !== undefined && !hasFourDigits(date);
}

function offsetMs(offset: string): number {
  const [, sign = '', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? -size : size;
}

/** Writes a moment to the second. A year without four digits makes it longer, which RFC 3339 does not allow. */
function wholeSeconds(ms: number): string {
  return new Date(ms).toISOString().slice(0, -5);
}

/**
 * Reads a date as ticks of 100 ns since 1970. A number would lose the last of 7 fraction digits.
 * @returns `undefined` if the text is not a date of the contract
 */
export function instantOf(text: string): bigint | undefined {
  const parsed = parse(text);
  return parsed && BigInt(parsed.ms) * TICKS_PER_MS + BigInt(parsed.fraction.padEnd(7, '0'));
}

/** Writes the same moment in UTC with `Z` and the same fraction digits. Other texts stay as they are. */
export function inUtc(text: string): string {
  const parsed = parse(text);
  if (!parsed) return text;
  return `${wholeSeconds(parsed.ms)}${parsed.fraction && `.${parsed.fraction}`}Z`;
}

/** The distance of two moments in milliseconds, rounded up, so that a tick over a limit is over it. */
export function distanceMs(a: bigint, b: bigint): number {
  return Number(((a > b ? a - b : b - a) + TICKS_PER_MS - 1n) / TICKS_PER_MS);
}

/** Writes a moment with milliseconds and `Z`. */
export function utc(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * How long ago a moment was, in milliseconds; infinity if it lies in the future. Then the clock was set back, and any
 * interval that began at that moment counts as over.
 * @param sinceMs milliseconds since 1970, by the same clock as `nowMs`
 */
export function elapsedMs(sinceMs: number, nowMs: number): number {
  return nowMs < sinceMs ? Number.POSITIVE_INFINITY : nowMs - sinceMs;
}
