import { isUtf8 } from 'node:buffer';
import type { Fault } from './fault.ts';
import { duplicateKeys } from './json-duplicates.ts';
import { countNames, outlineOf } from './json-outline.ts';
import { LIMITS } from './limits.ts';
import { fieldsOf } from './pointer.ts';
import { Problem } from './problem.ts';

interface Reading {
  readonly mostLevels?: number;
  /** What is read, for people. */
  readonly name?: string;
}

/** With fewer fields, names do not matter; with more, objects whose names keep changing take ten times as long to read. */
const MANY_FIELDS = 50_000;

/**
 * Reads strict JSON: UTF-8 without a byte order mark, no key twice in an object, at most 16 levels unless said.
 * Values and names are counted before any of them is read, so that the cost is in proportion to the length.
 * `JSON.parse` keeps the last of two equal keys without a word, so their number is compared before and after.
 * @throws {Problem} `malformed-json`
 */
export function parseJson(bytes: Uint8Array, { mostLevels = LIMITS.jsonDepth, name = 'body' }: Reading = {}): unknown {
  if (bytes.length === 0) throw malformed('syntax', `The ${name} is empty. Send a JSON value.`);
  if (!isUtf8(bytes)) throw malformed('encoding', `The ${name} is not UTF-8.`);
  if (bytes[0] === 0xef && bytes[1] === 0xbb) {
    throw malformed('encoding', `The ${name} starts with a byte order mark. Leave it out.`);
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const { jsonValues: mostValues, jsonNames: mostNames } = LIMITS;
  const { members, depth, values } = outlineOf(text, { mostLevels, mostValues });
  if (depth > mostLevels) {
    throw malformed('too-deep', `The ${name} is nested more than ${mostLevels} levels deep.`);
  }
  if (values > mostValues) throw malformed('too-many', `The ${name} has more than ${mostValues} JSON values.`);
  if (members > MANY_FIELDS && countNames(text, mostNames) > mostNames) {
    const detail = `The ${name} has more than ${MANY_FIELDS} fields and more than ${mostNames} different field names.`;
    throw malformed('too-many', detail);
  }
  const value = parse(text, name);
  if (countMembers(value) !== members) {
    throw new Problem('malformed-json', {
      detail: `An object of the ${name} repeats a key.`,
      errors: duplicateKeys(text, LIMITS.faults),
    });
  }
  return value;
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's message quotes the text, so it must not be passed on.
    throw malformed('syntax', `The ${name} is not valid JSON.`);
  }
}

function malformed(code: Fault['code'], detail: string): Problem {
  return new Problem('malformed-json', { detail, errors: [{ pointer: '', code, detail }] });
}

function countMembers(value: unknown): number {
  const fields = fieldsOf(value);
  if (!fields) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const entry of value) count += countMembers(entry);
    return count;
  }
  // Its prototype adds none: the value is what JSON.parse made.
  for (const name in fields) count += 1 + countMembers(fields[name]);
  return count;
}
