import { promisify } from 'node:util';
import { crc32, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { chunkSize, type EncodedText, GZIP_FROM_BYTES, LEVEL, THREAD_FROM_BYTES } from './encoded-text.ts';
import { nextTurn } from './turn.ts';

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
/** `Z_SYNC_FLUSH` and `Z_FULL_FLUSH` of zlib, which loads only when it is first called. */
const FLUSH = { sync: 2, full: 3 };

/**
 * Encodes a text in parts. Compresses it with gzip if it is long enough. The encoded text is one gzip file: a full flush
 * after each part makes the next part independent of it.
 * @param pieces the plain bytes of each part in pieces, in UTF-8
 */
export async function encodeParts(pieces: readonly (readonly Uint8Array[])[]): Promise<TextInParts> {
  // Fresh memory takes long, so the bytes are copied only once.
  const plain = Buffer.concat(pieces.flat());
  const { length } = plain;
  let end = 0;
  const parts = pieces.map((some) => {
    const start = end;
    end = some.reduce((sum, piece) => sum + piece.length, start);
    return plain.subarray(start, end);
  });
  if (length < GZIP_FROM_BYTES) return { encoding: 'identity', bytes: plain, length, offsets: offsetsOf(parts, 0) };
  const deflated = await deflateParts(parts);
  return {
    encoding: 'gzip',
    bytes: Buffer.concat([GZIP_HEADER, ...deflated, LAST_BLOCK, trailerOf(crc32(plain), length)]),
    length,
    plain,
    offsets: offsetsOf(deflated, GZIP_HEADER.length),
  };
}

/** After how many bytes of a text that is changed other requests run. */
const BYTES_IN_TURN = 262_144;
/** How many parts are compressed at once. Each needs 256 KB, and fresh memory takes longer than the compression. */
const AT_ONCE = 2;

/** Compresses parts, many bytes in other threads. */
async function deflateParts(parts: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length < THREAD_FROM_BYTES ? parts.map((part) => deflateRawSync(part, optionsOf(part))) : deflateAll(parts);
}

/** Compresses parts in other threads. */
async function deflateAll(parts: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const deflated: Uint8Array[] = [];
  const left = parts.entries();
  const deflateNext = async () => {
    for (const [index, part] of left) deflated[index] = await deflateInThread(part, optionsOf(part));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, deflateNext));
  return deflated;
}

/**
 * Decodes one part of a text.
 * @param bytes the encoded bytes between two offsets
 * @param expected about how many bytes the part has after decoding, if that is known. So zlib needs fewer output chunks
 */
export function decodePart(encoding: EncodedText['encoding'], bytes: Uint8Array, expected?: number): Uint8Array {
  if (encoding === 'identity') return bytes;
  // The part has no last block, so inflating it ends with a flush.
  const options = { finishFlush: FLUSH.sync };
  return inflateRawSync(bytes, expected === undefined ? options : { ...options, chunkSize: chunkSize(expected) });
}

/**
 * Replaces the first part of a text. The other parts are neither decompressed nor compressed again.
 * @param text a text of `encodeParts`
 * @param before the plain bytes of the present first part
 * @param restFrom where the second part begins in the encoded bytes
 */
export function withFirstPart(
  { encoding, bytes, length }: EncodedText,
  before: Uint8Array,
  first: Uint8Array,
  restFrom: number,
): EncodedText {
  const restLength = length - before.length;
  const plainLength = first.length + restLength;
  if (encoding === 'identity') {
    return { encoding, bytes: Buffer.concat([first, bytes.subarray(restFrom)]), length: plainLength };
  }
  const trailer = Buffer.from(bytes.subarray(-TRAILER_BYTES));
  const parts = bytes.subarray(restFrom, -TRAILER_BYTES);
  // A checksum is linear, so that of the text changes by that of the first part, moved by the length of the others.
  const change = multiply(crc32(before) ^ crc32(first), powerOfBytes(restLength));
  const checksum = (trailer.readUInt32LE(0) ^ change) >>> 0;
  const deflated = deflateRawSync(first, optionsOf(first));
  return {
    encoding,
    bytes: Buffer.concat([GZIP_HEADER, deflated, parts, trailerOf(checksum, plainLength)]),
    length: plainLength,
  };
}

/** A part of a text. */
export interface TextPart {
  readonly plain: Uint8Array;
  /** The encoded bytes, if they are known. */
  readonly encoded?: Uint8Array;
}

/**
 * Joins parts to a text. Those that are encoded already are not compressed again. Other requests run after some of them.
 * @param encoding that of the encoded parts. A text that was too short for gzip may become long enough
 */
export async function joinParts(encoding: EncodedText['encoding'], parts: readonly TextPart[]): Promise<TextInParts> {
  const plainLength = parts.reduce((sum, { plain }) => sum + plain.length, 0);
  if (encoding === 'identity') {
    if (plainLength >= GZIP_FROM_BYTES) return encodeParts(parts.map(({ plain }) => [plain]));
    const all = parts.map(({ plain }) => plain);
    return { encoding, bytes: Buffer.concat(all), length: plainLength, offsets: offsetsOf(all, 0) };
  }
  let [checksum, length, turnEnds] = [0, 0, BYTES_IN_TURN];
  for (const { plain } of parts) {
    [checksum, length] = [crc32(plain, checksum), length + plain.length];
    if (length < turnEnds) continue;
    turnEnds = length + BYTES_IN_TURN;
    await nextTurn();
  }
  const changed = parts.filter(({ encoded }) => !encoded).map(({ plain }) => plain);
  const deflated = (await deflateParts(changed)).values();
  const encoded = parts.map((part) => part.encoded ?? deflated.next().value ?? new Uint8Array());
  return {
    encoding,
    bytes: Buffer.concat([GZIP_HEADER, ...encoded, LAST_BLOCK, trailerOf(checksum, length)]),
    length,
    offsets: offsetsOf(encoded, GZIP_HEADER.length),
  };
}

/** Multiplies two polynomials modulo that of CRC-32. The highest bit of a number is the lowest coefficient. */
function multiply(one: number, other: number): number {
  let [product, factor] = [0, other];
  for (let bit = 0x8000_0000; bit > 0; bit >>>= 1) {
    if (one & bit) product ^= factor;
    factor = (factor >>> 1) ^ (factor & 1 ? 0xedb8_8320 : 0);
  }
  return product;
}

/** Returns the polynomial that moves a checksum by a number of bytes: x to the power of 8 times the number. */
function powerOfBytes(count: number): number {
  let [power, square] = [0x8000_0000, 0x0080_0000];
  for (let left = count; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

function optionsOf({ length }: Uint8Array) {
  return { level: LEVEL, finishFlush: FLUSH.full, chunkSize: chunkSize(length / 4) };
}

const TRAILER_BYTES = 8;

/** Makes the end of a gzip file: the checksum and the length of the plain bytes. */
function trailerOf(checksum: number, length: number): Buffer {
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(length, 4);
  return trailer;
}

function offsetsOf(parts: readonly Uint8Array[], first: number): number[] {
  const offsets = [first];
  for (const { length } of parts) offsets.push((offsets.at(-1) ?? 0) + length);
  return offsets;
}
