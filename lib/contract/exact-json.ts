import { fieldsOf } from './pointer.ts';

declare global {
  /** Node 24 has these; TypeScript's library does not declare them yet. */
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Finds numbers that a double may not hold: of 16 or more digits, or with an exponent of 3 or more. */
const MAY_BE_INEXACT = /[:,[\s]-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/;
/** A double holds every number of so many decimal digits. */
const EXACT_DIGITS = 15;

/**
 * Reads JSON, and keeps each number that a double would change as its text, which `JSON.stringify` writes again.
 * @throws {SyntaxError}
 */
export function parseExact(text: string): unknown {
  // A reviver makes reading several times slower, and nearly no text needs it.
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

/** Whether a value of `parseExact` holds a number that `JSON.parse` would change. */
export function hasInexactNumbers(value: unknown): boolean {
  return JSON.isRawJSON(value) || Object.values(fieldsOf(value) ?? {}).some(hasInexactNumbers);
}
