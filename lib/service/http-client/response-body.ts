import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { outlineOf } from '../../contract/json.ts';

/** The size limit of a response body in bytes, both encoded and decoded. It is 16 times the limit of a request body. */
export const MAX_BODY_BYTES = 67_108_864;

/**
 * A body is decompressed in pieces, and each piece costs a thread switch. A piece is this many times as long as the
 * compressed body.
 */
const PIECE_RATIO = 16;
/** The limits of a piece in bytes: the minimum of zlib, and the most memory to allocate in advance. */
const PIECE_BYTES = { least: 64, most: 1_048_576 } as const;

/**
 * The decoded bytes of a response body. `lost`: the connection ended, or the deadline passed, before the body was
 * complete. `unusable`: the body is too large or cannot be decoded.
 */
export type ResponseBody = Uint8Array | 'lost' | 'unusable';

const decompress = promisify(gunzip);

/** Reads and decodes the body of a response. Stops at the size limit. */
export async function readBody(response: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<ResponseBody> {
  const bytes = await collect(response, maxBytes);
  const coding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (typeof bytes === 'string' || coding === 'identity') return bytes;
  if (coding !== 'gzip') return 'unusable';
  try {
    const chunkSize = Math.min(Math.max(bytes.length * PIECE_RATIO, PIECE_BYTES.least), PIECE_BYTES.most);
    return await decompress(bytes, { chunkSize, maxOutputLength: maxBytes });
  } catch {
    return 'unusable';
  }
}

async function collect(response: IncomingMessage, maxBytes: number): Promise<ResponseBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      length += chunk.length;
      // Leaving the loop destroys the connection.
      if (length > maxBytes) return 'unusable';
      chunks.push(chunk);
    }
  } catch {
    return 'lost';
  }
  return Buffer.concat(chunks, length);
}

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
  // Invalid UTF-8 would silently become U+FFFD, and content must arrive byte for byte.
  if (typeof body === 'string' || !isUtf8(body)) return undefined;
  // Some services start their answers with a byte order mark.
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    .toString()
    .replace(/^\ufeff/, '');
  const { depth, parts } = outlineOf(text);
  if (depth > MAX_DEPTH || parts > MAX_PARTS) return undefined;
  try {
    return parse(text);
  } catch {
    // The message of the error quotes the text, so the error is dropped.
    return undefined;
  }
}
