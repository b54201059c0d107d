import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { chunkSize, type EncodedText, GZIP_FROM_BYTES, LEVEL, THREAD_FROM_BYTES } from './encoded-text.ts';

/** A text that was encoded in parts. Each part can be decoded alone, without the parts before it. */
export interface TextInParts extends EncodedText {
  /** Where each part begins in the encoded bytes, and, as the last number, where the last part ends. */
  readonly offsets: readonly number[];
}

/** The header of a gzip file that has no name and no time (RFC 1952). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty block of deflate that ends the data (RFC 1951). */
const LAST_BLOCK = Buffer.from([3, 0]);

const deflateInThread = promisify(deflateRaw);

/**
 * Encodes a text in parts. Compresses it with gzip if it is long enough. The encoded text is one gzip file: a full flush
 * after each part makes the next part independent of it.
 * @param parts the plain bytes of the parts, in UTF-8
 */
export async function encodeParts(parts: readonly Uint8Array[]): Promise<TextInParts> {
  const plain = Buffer.concat(parts);
  const { length } = plain;
  if (length < GZIP_FROM_BYTES)
    return { encoding: 'identity', bytes: plain, length, plain, offsets: offsetsOf(parts, 0) };
  const isShort = length < THREAD_FROM_BYTES;
  const deflated = await Promise.all(
    parts.map((part) => (isShort ? deflateRawSync : deflateInThread)(part, optionsOf(part))),
  );
  const bytes = Buffer.concat([GZIP_HEADER, ...deflated, LAST_BLOCK, trailerOf(plain)]);
  return { encoding: 'gzip', bytes, length, plain, offsets: offsetsOf(deflated, GZIP_HEADER.length) };
}

/**
 * Decodes one part of a text.
 * @param bytes the encoded bytes between two offsets
 */
export function decodePart(encoding: EncodedText['encoding'], bytes: Uint8Array): Uint8Array {
  if (encoding === 'identity') return bytes;
  // The part has no last block, so inflating it ends with a flush.
  return inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}

/**
 * Replaces the first part of a text. The other parts are not compressed again.
 * @param text a text of `encodeParts`
 * @param restFrom where the second part begins in the encoded bytes
 * @param rest the plain bytes of the other parts
 */
export function withFirstPart(text: EncodedText, first: Uint8Array, restFrom: number, rest: Uint8Array): EncodedText {
  const plain = Buffer.concat([first, rest]);
  if (text.encoding === 'identity') return { encoding: 'identity', bytes: plain, length: plain.length, plain };
  const deflated = deflateRawSync(first, optionsOf(first));
  const parts = text.bytes.subarray(restFrom, text.bytes.length - TRAILER_BYTES);
  const bytes = Buffer.concat([GZIP_HEADER, deflated, parts, trailerOf(plain)]);
  return { encoding: 'gzip', bytes, length: plain.length, plain };
}

function optionsOf({ length }: Uint8Array) {
  return { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH, chunkSize: chunkSize(length / 2) };
}

const TRAILER_BYTES = 8;

/** Makes the end of a gzip file: the checksum and the length of the plain bytes. */
function trailerOf(plain: Uint8Array): Buffer {
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(crc32(plain), 0);
  trailer.writeUInt32LE(plain.length, 4);
  return trailer;
}

function offsetsOf(parts: readonly Uint8Array[], first: number): number[] {
  const offsets = [first];
  for (const { length } of parts) offsets.push((offsets.at(-1) ?? 0) + length);
  return offsets;
}
