import { fieldsOf } from './pointer.ts';

declare global {
  /** The functions of `JSON` that Node 24 has and TypeScript's library does not declare yet. */
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/**
 * Matches a number that a double may not hold exactly: one of at least 16 characters, or one whose exponent has at
 * least three digits.
 */
const MAY_BE_INEXACT = /[:,[\s]-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/;
/** A double keeps every number that has at most this many significant decimal digits. */
const EXACT_DIGITS = 15;

/**
 * Parses JSON. Keeps the text of each number that a double would change, so that `JSON.stringify` writes that text
 * again.
 * @throws {SyntaxError} if the text is not JSON
 */
export function parseExact(text: string): unknown {
  // A reviver makes parsing several times slower, and few texts need it.
  if (!MAY_BE_INEXACT.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isExact(value, source) ? JSON.rawJSON(source) : value,
  );
}

function isExact(value: number, source: string): boolean {
  const [digits = '', exponent = ''] = source.split(/e/i);
  if (exponent === '' && !digits.includes('.')) return Number.isSafeInteger(value);
  return digits.replace(/\D/g, '').replace(/^0+/, '').length <= EXACT_DIGITS && exponent.replace(/\D/g, '').length < 3;
}

/** Whether a value that `parseExact` returned contains a number that `JSON.parse` would change. */
export function hasInexactNumbers(value: unknown): boolean {
  return JSON.isRawJSON(value) || Object.values(fieldsOf(value) ?? {}).some(hasInexactNumbers);
}
