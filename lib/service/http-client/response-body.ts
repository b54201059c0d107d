import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { outlineOf } from '../../contract/json.ts';

/** The size limit of a body, encoded and decoded: 16 times that of a request. */
export const MAX_BODY_BYTES = 67_108_864;

/** The size of the pieces in which a body is decompressed, in lengths of the body: each piece costs a thread switch. */
const PIECE_RATIO = 16;
/** The minimum of zlib, and the most to allocate in advance. */
const PIECE_BYTES = { least: 64, most: 1_048_576 } as const;

/** The decoded bytes; `lost` if the connection or the time ended first; `unusable` if they cannot be decoded. */
export type ResponseBody = Uint8Array | 'lost' | 'unusable';

const decompress = promisify(gunzip);

/** Reads a body to its end, or to the size limit. */
export async function readBody(response: IncomingMessage): Promise<ResponseBody> {
  const bytes = await collect(response);
  const coding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (typeof bytes === 'string' || coding === 'identity') return bytes;
  if (coding !== 'gzip') return 'unusable';
  try {
    const chunkSize = Math.min(Math.max(bytes.length * PIECE_RATIO, PIECE_BYTES.least), PIECE_BYTES.most);
    return await decompress(bytes, { chunkSize, maxOutputLength: MAX_BODY_BYTES });
  } catch {
    return 'unusable';
  }
}

async function collect(response: IncomingMessage): Promise<ResponseBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      length += chunk.length;
      // Leaving the loop destroys the connection.
      if (length > MAX_BODY_BYTES) return 'unusable';
      chunks.push(chunk);
    }
  } catch {
    return 'lost';
  }
  return Buffer.concat(chunks, length);
}

/** Deeper JSON could not be written again. No project comes near it. */
const MAX_DEPTH = 100;
/** A parsed value takes up to 30 times the memory of its text, so the size limit alone does not bound it. */
const MAX_PARTS = 4_000_000;

/**
 * Parses a body as JSON.
 * @param parse parses the text; may throw
 * @returns `undefined` if the body is incomplete or not JSON
 */
export function parseJson(body: ResponseBody, parse: (text: string) => unknown = JSON.parse): unknown {
  // Invalid UTF-8 would silently become U+FFFD, and content must arrive byte for byte.
  if (typeof body === 'string' || !isUtf8(body)) return undefined;
  // Some services start with a byte order mark.
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    .toString()
    .replace(/^\ufeff/, '');
  const { depth, parts } = outlineOf(text);
  if (depth > MAX_DEPTH || parts > MAX_PARTS) return undefined;
  try {
    return parse(text);
  } catch {
    // The error's message quotes the text, so it is dropped.
    return undefined;
  }
}
