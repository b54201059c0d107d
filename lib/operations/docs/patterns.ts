import { isBlank } from '../../contract/fields.ts';

// The patterns mean the same in Python and in ECMAScript, with and without the flag `u`. They therefore have no `\p`,
// no look-ahead, and no characters beyond U+FFFF.

const LAST = 0xffff;

/** Returns the characters up to U+FFFF for which a rule holds, as the ranges of a character class. */
function rangesOf(holds: (character: string) => boolean): string {
  const ranges: string[] = [];
  for (let code = 0, first: number | undefined; code <= LAST + 1; code++) {
    const isIn = code <= LAST && holds(String.fromCharCode(code));
    if (isIn) first ??= code;
    else if (first !== undefined) {
      ranges.push(first === code - 1 ? escaped(first) : `${escaped(first)}-${escaped(code - 1)}`);
      first = undefined;
    }
  }
  return ranges.join('');
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Matches text that is not blank. A format character beyond U+FFFF counts as visible here, unlike in Segue. */
export const VISIBLE = `[^${rangesOf(isBlank)}]`;

/** Matches any text except `.` and `..`, which clients resolve in a path. */
export const NOT_FOLDED = '^(?:[^.]|\\.[^.]|\\.\\.[\\s\\S])';

/**
 * Matches an https URL without white space and control characters. A pattern cannot express the other rules for URLs.
 */
export const HTTPS_URL = `^[Hh][Tt][Tt][Pp][Ss]://[^${rangesOf((character) => /[\s\p{Cc}]/u.test(character))}]+$`;

/** The length of the longest date that `DATE` matches: with nine fraction digits and an offset. */
export const DATE_CHARACTERS = '2026-01-31T09:00:00.123456789+00:00'.length;

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Returns a pattern for the numbers from 1 to the largest id, in base 36 without leading zeros. */
function idsInBase36(): string {
  const largest = Number.MAX_SAFE_INTEGER.toString(36);
  const sameLength = Array.from(largest, (digit, index) => {
    const below = DIGITS.slice(index === 0 ? 1 : 0, DIGITS.indexOf(digit));
    return below === '' ? [] : [`${largest.slice(0, index)}[${below}][0-9a-z]{${largest.length - index - 1}}`];
  });
  return [`[1-9a-z][0-9a-z]{0,${largest.length - 2}}`, ...sameLength.flat(), largest].join('|');
}

/** Matches the cursor of a page of segments. */
export const PAGE_CURSOR = '^s[1-9a-z][0-9a-z]{0,3}\\.[A-Za-z0-9_-]{1,64}$';

/** Matches the id of an event. */
export const EVENT_ID = '^[A-Za-z0-9_-]{1,64}$';

/** Matches the cursor of a list, which contains an id. */
export const CURSOR = `^c(?:${idsInBase36()})$`;
