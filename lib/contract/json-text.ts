import { malformedJson } from './failures.ts';
import type { Fault } from './faults.ts';
import { outlineOf } from './json-outline.ts';
import { jsonSteps } from './json-steps.ts';
import { findSyntaxFault } from './json-syntax.ts';
import { LIMITS } from './limits.ts';
import { fieldsOf } from './pointer.ts';
import { Problem } from './problem.ts';
import type { TextPosition } from './text-position.ts';

/** How to parse a JSON text. */
export interface JsonReading {
  /** The maximum depth of nesting; 16 by default. */
  readonly maxLevels?: number;
  /** The name of the text in error messages; `body` by default. */
  readonly name?: string;
  /** Whether the text is one line of a file. Then error messages leave out the number of the line. */
  readonly isLine?: boolean;
}

/**
 * If a text has more fields than this, `parseJsonText` limits the different field names. So many different names would
 * make parsing ten times slower.
 */
const MANY_FIELDS = 50_000;

/**
 * Parses strict JSON: without repeated keys, and not nested too deeply.
 *
 * Before parsing, it rejects a text with too many levels, values or different field names, so that the parsing time is
 * proportional to the length of the text. Of equal keys, `JSON.parse` silently keeps only the last. So this function
 * counts the members of all objects in the text, and again in the parsed value. Different counts mean a repeated key.
 * @throws {Problem} `malformed-json`
 */
export function parseJsonText(
  text: string,
  { maxLevels = LIMITS.jsonDepth, name = 'body', isLine = false }: JsonReading = {},
): unknown {
  const { jsonValues: maxValues, jsonNames: maxNames } = LIMITS;
  const bounds = { maxLevels, maxValues, maxNames, manyMembers: MANY_FIELDS };
  const { members, names, depth, values } = outlineOf(text, bounds);
  if (depth > maxLevels) {
    throw malformedJson('too-deep', `The ${name} is nested more than ${maxLevels} levels deep.`);
  }
  if (values > maxValues) throw malformedJson('too-many', `The ${name} has more than ${maxValues} JSON values.`);
  if (members > MANY_FIELDS && names > maxNames) {
    const detail = `The ${name} has more than ${MANY_FIELDS} fields, so it may have at most ${maxNames} different field names.`;
    throw malformedJson('too-many', detail);
  }
  const value = parse(text, name, isLine);
  if (countMembers(value) !== members) {
    throw new Problem('malformed-json', {
      detail: `An object of the ${name} repeats a key.`,
      errors: duplicateKeys(text, LIMITS.faults),
    });
  }
  return value;
}

function parse(text: string, name: string, isLine: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error message of `JSON.parse` quotes the text, so it must not reach the client or the log.
    const fault = findSyntaxFault(text);
    const where = fault ? ` at ${formatPosition(fault, isLine)}: expected ${fault.expected}` : '';
    throw malformedJson('syntax', `The ${name} is not valid JSON${where}.`);
  }
}

/** Writes the position of a fault, for its detail. */
export function formatPosition({ line, column }: TextPosition, isLine: boolean): string {
  return isLine ? `column ${column}` : `line ${line}, column ${column}`;
}

function countMembers(value: unknown): number {
  const fields = fieldsOf(value);
  if (!fields) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const entry of value) count += countMembers(entry);
    return count;
  }
  // `for … in` also lists inherited names, but a value from `JSON.parse` has none.
  for (const name in fields) count += 1 + countMembers(fields[name]);
  return count;
}

/**
 * Returns a fault for each repeated key of a text.
 * @param text valid JSON
 * @param most the maximum number of faults
 */
function duplicateKeys(text: string, most: number): Fault[] {
  const faults: Fault[] = [];
  for (const { isRepeated, pointer } of jsonSteps(text)) {
    if (!isRepeated) continue;
    faults.push({ pointer: pointer(), code: 'duplicate-key', detail: 'The object already has this key.' });
    if (faults.length === most) break;
  }
  return faults;
}
