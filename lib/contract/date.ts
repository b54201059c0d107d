const RFC3339_UTC = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?(?:Z|\+00:00)$/i;

/**
 * The moment a date names, in ticks of 100 ns since 1970 (dates carry up to 7 fraction digits, a number would lose the last).
 * @returns `undefined` where the text is no RFC 3339 date in UTC
 */
export function instantOf(text: string): bigint | undefined {
  const match = RFC3339_UTC.exec(text);
  if (!match) return undefined;
  const [, seconds = '', fraction = ''] = match;
  const iso = seconds.toUpperCase();
  const ms = Date.parse(`${iso}Z`);
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== iso) return undefined;
  return BigInt(ms) * 10_000n + BigInt(fraction.padEnd(7, '0'));
}

/** How far apart two moments are, in milliseconds, rounded up: what is a tick over a limit is over it. */
export function distanceMs(a: bigint, b: bigint): number {
  return Number(((a > b ? a - b : b - a) + 9_999n) / 10_000n);
}

/** A moment as the contract writes it: milliseconds and `Z`. */
export function utc(ms: number): string {
  return new Date(ms).toISOString();
}
