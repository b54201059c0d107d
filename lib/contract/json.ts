import { isUtf8 } from 'node:buffer';
import type { Fault } from './fault.ts';
import { duplicateKeys } from './json-duplicates.ts';
import { LIMITS } from './limits.ts';
import { fieldsOf } from './pointer.ts';
import { Problem } from './problem.ts';

/**
 * Reads strict JSON: UTF-8 without a byte order mark, no key twice in an object, at most 16 levels unless said.
 * `JSON.parse` keeps the last of two equal keys without a word, so their number is compared before and after.
 * @throws {Problem} `malformed-json`
 */
export function parseJson(bytes: Uint8Array, mostLevels: number = LIMITS.jsonDepth): unknown {
  if (bytes.length === 0) throw malformed('syntax', 'The body is empty; a JSON value is needed.');
  if (!isUtf8(bytes)) throw malformed('encoding', 'The body is not UTF-8.');
  if (bytes[0] === 0xef && bytes[1] === 0xbb) {
    throw malformed('encoding', 'The body begins with a byte order mark; leave it out.');
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const { members, depth } = outline(text);
  if (depth > mostLevels) {
    throw malformed('too-deep', `The body is nested deeper than ${mostLevels} levels.`);
  }
  const value = parse(text);
  if (countMembers(value) !== members) {
    throw new Problem('malformed-json', {
      detail: 'An object of the body has the same key twice.',
      errors: duplicateKeys(text, LIMITS.faults),
    });
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's message quotes the text, so it goes nowhere.
    throw malformed('syntax', 'The body is not JSON.');
  }
}

function malformed(code: Fault['code'], detail: string): Problem {
  return new Problem('malformed-json', { detail, errors: [{ pointer: '', code, detail }] });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** How many members its objects have and how deep it is nested. Right for JSON, harmless for anything else. */
function outline(text: string): { members: number; depth: number } {
  let members = 0;
  let level = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === COLON) members++;
    else if (unit === 0x7b || unit === 0x5b) depth = Math.max(depth, ++level);
    else if (unit === 0x7d || unit === 0x5d) level--;
  }
  return { members, depth };
}

/** Where the closing quote of a string is: the next one before which there is no odd number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
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
