import { isBlank } from '../../../lib/contract/fields.ts';

// Each pattern means the same in ECMAScript, with the flag `u` or without it, and in Python: no `\p`, no look-ahead, nothing
// beyond U+FFFF.

const LAST = 0xffff;

/** The characters up to U+FFFF for which a rule holds, as the ranges of a class. */
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

/** A text that is not blank. Format characters beyond U+FFFF count as visible here. */
export const VISIBLE = `[^${rangesOf(isBlank)}]`;

/** Anything but `.` and `..`, which clients resolve in a path. */
export const NOT_FOLDED = '^(?:[^.]|\\.[^.]|\\.\\.[\\s\\S])';

/** An https URL without white space and control characters. What else a URL may hold, no pattern says. */
export const HTTPS_URL = `^[Hh][Tt][Tt][Pp][Ss]://[^${rangesOf((character) => /[\s\p{Cc}]/u.test(character))}]+$`;

/** A key of 1 to 255 visible characters of ASCII: bare, or as a string of RFC 8941. */
export const IDEMPOTENCY_KEY = '^(?:[\\x21\\x23-\\x7e]{1,255}|"(?:[\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255}")$';

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

/** The numbers from 1 to the largest id, in base 36 without zeros in front. */
function idsInBase36(): string {
  const largest = Number.MAX_SAFE_INTEGER.toString(36);
  const sameLength = Array.from(largest, (digit, index) => {
    const below = DIGITS.slice(index === 0 ? 1 : 0, DIGITS.indexOf(digit));
    return below === '' ? [] : [`${largest.slice(0, index)}[${below}][0-9a-z]{${largest.length - index - 1}}`];
  });
  return [`[1-9a-z][0-9a-z]{0,${largest.length - 2}}`, ...sameLength.flat(), largest].join('|');
}

/** The cursor of a list: an id. */
export const CURSOR = `^c(?:${idsInBase36()})$`;
