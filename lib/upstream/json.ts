import { isUtf8 } from 'node:buffer';
import type { AnswerBody } from './body.ts';

/** The JSON value of an answer, `undefined` where it has none that can be read whole. */
export function parseJson(body: AnswerBody): unknown {
  // Bytes that are no UTF-8 would turn into U+FFFD without a word, and content must arrive byte for byte.
  if (typeof body === 'string' || !isUtf8(body)) return undefined;
  try {
    // Services of some makes begin with a byte order mark.
    return JSON.parse(
      Buffer.from(body.buffer, body.byteOffset, body.byteLength)
        .toString()
        .replace(/^\ufeff/, ''),
    );
  } catch {
    // The engine's message quotes the text, so it goes nowhere.
    return undefined;
  }
}
