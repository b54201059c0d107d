import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The most that an answer may hold, encoded and decoded alike: 16 times what a request may. */
export const MAX_ANSWER_BYTES = 67_108_864;

/** An answer is unpacked in pieces of so many times its length, since each piece takes a turn of another thread. */
const PIECE_RATIO = 16;
/** The least that zlib takes, and the most that is set aside before it is known to be needed. */
const PIECE_BYTES = { least: 64, most: 1_048_576 } as const;

/** The decoded bytes; `lost` where the connection or the time ended before they did; `unusable` where they can't be read. */
export type AnswerBody = Uint8Array | 'lost' | 'unusable';

const decompress = promisify(gunzip);

/** Reads an answer to its end, and never more of it than the limit. */
export async function readBody(response: IncomingMessage): Promise<AnswerBody> {
  const bytes = await collect(response);
  const coding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (typeof bytes === 'string' || coding === 'identity') return bytes;
  if (coding !== 'gzip') return 'unusable';
  try {
    const chunkSize = Math.min(Math.max(bytes.length * PIECE_RATIO, PIECE_BYTES.least), PIECE_BYTES.most);
    return await decompress(bytes, { chunkSize, maxOutputLength: MAX_ANSWER_BYTES });
  } catch {
    return 'unusable';
  }
}

async function collect(response: IncomingMessage): Promise<AnswerBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      length += chunk.length;
      // Leaving the loop destroys the connection.
      if (length > MAX_ANSWER_BYTES) return 'unusable';
      chunks.push(chunk);
    }
  } catch {
    return 'lost';
  }
  return Buffer.concat(chunks, length);
}
