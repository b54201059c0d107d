import { isUtf8 } from 'node:buffer';
import { malformedJson } from '../../contract/failures.ts';
import { parseJson } from '../../contract/json.ts';
import { MAPPING_LIMITS } from './limits.ts';

/** The media type of a form. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The most fields that a form may have. */
export const MAX_FORM_FIELDS = 1_000;

/** Finds 16 digits in a row. A text without them has no integer that loses digits as a number. */
const LONG = /\d{16}/;
const INTEGER = /^-?\d+$/;
/** Matches each string and each number of a JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Parses the body of a message for the mapping: as a form if the content type says so, otherwise as JSON. If the only
 * field of a form is `payload`, it parses the JSON in that field, because GitHub and Slack send such forms.
 * @param headers the headers by lower-case names
 * @throws {Problem} `malformed-json`
 */
export function readBody(headers: Readonly<Record<string, string>>, bytes: Uint8Array): unknown {
  if (!isForm(headers)) return readJson(bytes);
  const { payload, ...others } = readForm(bytes);
  if (payload === undefined) return others;
  return Object.keys(others).length === 0 ? readJson(Buffer.from(payload)) : { payload, ...others };
}

/**
 * Parses JSON for the mapping. An integer of 2^53 or more, or -2^53 or less, becomes a string. As a number it would
 * lose digits, and two ids could become equal.
 * @param maxLevels the deepest nesting that is allowed
 * @param name the name of the text in error messages
 * @throws {Problem} `malformed-json`
 */
export function readJson(bytes: Uint8Array, maxLevels: number = MAPPING_LIMITS.levels, name?: string): unknown {
  const value = parseJson(bytes, { maxLevels, ...(name !== undefined && { name }) });
  const text = Buffer.from(bytes).toString();
  // Adding quotes to the integers in the text takes a tenth of the time that a reviver takes.
  return LONG.test(text) ? JSON.parse(text.replace(TOKEN, exact)) : value;
}

function exact(token: string): string {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}

/** Whether the content type of a message says that the body is a form. */
export function isForm({ 'content-type': type = '' }: Readonly<Record<string, string>>): boolean {
  const [mediaType = ''] = type.split(';');
  return mediaType.trim().toLowerCase() === FORM_TYPE;
}

/**
 * Parses a form. It must have valid percent escapes and UTF-8, and no field twice.
 * @throws {Problem} `malformed-json`
 */
function readForm(bytes: Uint8Array): Readonly<Record<string, string>> {
  if (!isUtf8(bytes)) throw malformedJson('encoding', 'The form is not UTF-8.');
  const pairs = Buffer.from(bytes).toString().split('&').filter(Boolean);
  if (pairs.length > MAX_FORM_FIELDS)
    throw malformedJson('too-many', `The form has more than ${MAX_FORM_FIELDS} fields.`);
  const fields = new Map<string, string>();
  for (const pair of pairs) {
    const [name = ''] = pair.split('=', 1);
    const field = decode(name);
    if (fields.has(field)) throw malformedJson('duplicate-key', 'The form has the same field twice.');
    fields.set(field, decode(pair.slice(name.length + 1)));
  }
  return Object.fromEntries(fields);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformedJson(
      'encoding',
      'The form has an invalid percent escape. Escapes have two hex digits, and their bytes must form UTF-8.',
    );
  }
}
