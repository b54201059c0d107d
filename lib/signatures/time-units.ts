/** The forms in which a sender writes the time of signing. */
export const TIME_UNITS = ['seconds', 'milliseconds', 'iso'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** Matches whole seconds since 1970, without sign, leading zero, fraction or space. */
const SECONDS = /^[1-9]\d{0,11}$/;

/** Parses a signed time in whole seconds. @returns milliseconds since 1970; `undefined` if the text has another form */
export function readSeconds(text: string): number | undefined {
  return SECONDS.test(text) ? Number(text) * 1_000 : undefined;
}
