import { isUtf8 } from 'node:buffer';
import { malformedJson } from './failures.ts';
import { formatPosition, type JsonReading, parseJsonText } from './json-text.ts';
import { positionOf, type TextPosition } from './text-position.ts';

/**
 * Parses strict JSON like `parseJsonText`, from UTF-8 without a byte order mark.
 * @throws {Problem} `malformed-json`
 */
export function parseJson(bytes: Uint8Array, reading: JsonReading = {}): unknown {
  const { name = 'body', isLine = false } = reading;
  if (bytes.length === 0) throw malformedJson('syntax', `The ${name} is empty. Send a JSON value.`);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (!isUtf8(bytes)) {
    const { offset, ...position } = firstWrongByte(text, bytes);
    throw malformedJson(
      'encoding',
      `The ${name} is not UTF-8 at byte ${offset} (${formatPosition(position, isLine)}).`,
    );
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb) {
    throw malformedJson('encoding', `The ${name} starts with a byte order mark. Leave it out.`);
  }
  return parseJsonText(text, reading);
}

/** A replacement character, which stands for wrong bytes in a decoded text, or for itself. */
const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/** Returns the offset of the first byte that is not UTF-8, from 0, and its position in the decoded text. */
function firstWrongByte(text: string, bytes: Uint8Array): TextPosition & { readonly offset: number } {
  let at = text.indexOf(REPLACEMENT);
  let offset = Buffer.byteLength(text.slice(0, at));
  while (REPLACEMENT_BYTES.equals(bytes.subarray(offset, offset + REPLACEMENT_BYTES.length))) {
    const next = text.indexOf(REPLACEMENT, at + 1);
    offset += Buffer.byteLength(text.slice(at, next));
    at = next;
  }
  return { offset, ...positionOf(text, at) };
}
