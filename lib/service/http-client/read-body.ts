import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MAX_BODY_BYTES, type ResponseBody } from './response-body.ts';

/**
 * A body is decompressed in pieces, and each piece costs a thread switch. A piece is this many times as long as the
 * compressed body.
 */
const PIECE_RATIO = 16;
/** The limits of a piece in bytes: the minimum of zlib, and the most memory to allocate in advance. */
const PIECE_BYTES = { least: 64, most: 1_048_576 } as const;

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
