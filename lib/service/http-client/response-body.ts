import { outlineOf } from '../../contract/json-outline.ts';

/** The size limit of a response body in bytes, both encoded and decoded. It is 16 times the limit of a request body. */
export const MAX_BODY_BYTES = 67_108_864;

/**
 * The decoded bytes of a response body. `lost`: the connection ended, or the deadline passed, before the body was
 * complete. `unusable`: the body is too large or cannot be decoded.
 */
export type ResponseBody = Uint8Array | 'lost' | 'unusable';

/** The maximum depth of nesting. `JSON.stringify` fails on very deep values. No project is nested nearly as deeply. */
const MAX_DEPTH = 100;
/**
 * The maximum number of objects, arrays and commas in a body. A parsed value takes up to 30 times the memory of its
 * text, so the size limit is not enough to limit memory.
 */
const MAX_PARTS = 4_000_000;

/**
 * Parses a response body as JSON.
 * @param parse parses the text; `JSON.parse` by default; may throw
 * @returns `undefined` if the body is incomplete, is not JSON, or exceeds a limit
 */
export function parseJson(body: ResponseBody, parse: (text: string) => unknown = JSON.parse): unknown {
  if (typeof body === 'string') return undefined;
  try {
    // `fatal`, because invalid UTF-8 would become U+FFFD, and content must arrive byte for byte. The decoder leaves out
    // the byte order mark with which some services start their answers.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const { depth, parts } = outlineOf(text);
    return depth > MAX_DEPTH || parts > MAX_PARTS ? undefined : parse(text);
  } catch {
    // The message of the error quotes the text, so the error is dropped.
    return undefined;
  }
}
