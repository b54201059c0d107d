import { isUtf8 } from 'node:buffer';
import { outlineOf } from '../contract/json-outline.ts';
import type { AnswerBody } from './body.ts';

/** What no project comes near, though fields that the contract does not know may be nested: deeper could not be written again. */
const MAX_DEPTH = 100;
/** A value takes up to thirty times the memory of its text, so the limit of bytes alone would not bound it. */
const MAX_PARTS = 4_000_000;

/**
 * The JSON value of an answer, `undefined` where it has none that can be read whole.
 * @param parse reads the text; it may throw
 */
export function parseJson(body: AnswerBody, parse: (text: string) => unknown = JSON.parse): unknown {
  // Bytes that are no UTF-8 would turn into U+FFFD without a word, and content must arrive byte for byte.
  if (typeof body === 'string' || !isUtf8(body)) return undefined;
  // Services of some makes begin with a byte order mark.
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    .toString()
    .replace(/^\ufeff/, '');
  const { depth, parts } = outlineOf(text);
  if (depth > MAX_DEPTH || parts > MAX_PARTS) return undefined;
  try {
    return parse(text);
  } catch {
    // The engine's message quotes the text, so it goes nowhere.
    return undefined;
  }
}
