import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { EncodedText } from '../service/encoded-text.ts';
import { MOST_ANSWER_BYTES } from './answer.ts';

export interface PiecesOptions {
  /** Whether the client accepts gzip. */
  readonly gzip: boolean;
  /** How many bytes the text may have before compression. */
  readonly maxBytes: number;
  /** Makes the error for a text that does not fit into an answer. */
  readonly tooLarge: () => Error;
}

/** A faster level than the default, as for whole projects. */
const LEVEL = 3;

/**
 * Encodes a text whose length is not known in advance, for one answer. It takes no further piece once the text cannot
 * fit, and keeps only the encoded bytes, so memory stays bounded however long the text is.
 */
export async function encodePieces(
  pieces: AsyncIterable<string>,
  { gzip, maxBytes, tooLarge }: PiecesOptions,
): Promise<EncodedText> {
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let length = 0;

  async function* plain(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      length += bytes.length;
      if (length > maxBytes) throw tooLarge();
      yield bytes;
    }
  }

  async function keep(encoded: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const bytes of encoded) {
      keptBytes += bytes.length;
      if (keptBytes > MOST_ANSWER_BYTES) throw tooLarge();
      kept.push(bytes);
    }
  }

  await (gzip ? pipeline(plain, createGzip({ level: LEVEL }), keep) : keep(plain()));
  return { encoding: gzip ? 'gzip' : 'identity', bytes: Buffer.concat(kept), length };
}
