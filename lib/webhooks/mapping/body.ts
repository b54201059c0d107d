import { parseJson } from '../../contract/json.ts';
import { isForm, readForm } from './form.ts';
import { MAPPING_LIMITS } from './limits.ts';

/** What of a text may be an integer that a number does not hold. */
const LONG = /\d{16}/;
const INTEGER = /^-?\d+$/;
/** The strings and numbers of a JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Reads a message's body as a mapping gets it: JSON, or a form if the content type says so. A form whose only field is
 * `payload` stands for the JSON in that field, as GitHub and Slack send it.
 * @param headers by lower-case names
 * @throws {Problem} `malformed-json`
 */
export function readBody(headers: Readonly<Record<string, string>>, bytes: Uint8Array): unknown {
  if (!isForm(headers)) return readJson(bytes);
  const { payload, ...others } = readForm(bytes);
  if (payload === undefined) return others;
  return Object.keys(others).length === 0 ? readJson(Buffer.from(payload)) : { payload, ...others };
}

/**
 * Reads JSON as a mapping gets it. An integer from 2^53 on is text, digit for digit: as a number it would
 * be another one, and the project of one page that of another.
 * @param mostLevels at most so deep
 * @param name what is read, for people
 * @throws {Problem} `malformed-json`
 */
export function readJson(bytes: Uint8Array, mostLevels: number = MAPPING_LIMITS.levels, name?: string): unknown {
  const value = parseJson(bytes, { mostLevels, ...(name !== undefined && { name }) });
  const text = Buffer.from(bytes).toString();
  // Quoting the integers in the text takes a tenth of the time of a reviver.
  return LONG.test(text) ? JSON.parse(text.replace(TOKEN, exact)) : value;
}

function exact(token: string): string {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}
