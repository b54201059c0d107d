import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gunzipSync, gzip, gzipSync } from 'node:zlib';

/** A text in UTF-8, plain or gzip-encoded. */
export interface EncodedText {
  readonly encoding: 'identity' | 'gzip';
  readonly bytes: Uint8Array;
  /** The number of bytes of the plain text. */
  readonly length: number;
  /** The plain bytes, if the text was encoded in this process. */
  readonly plain?: Uint8Array;
}

/** The minimum length of a text that is compressed, in bytes. For a shorter text, gzip costs more than it saves. */
export const GZIP_FROM_BYTES = 1_024;
/** The minimum length of a text that another thread compresses, in bytes. So other requests need not wait. */
export const THREAD_FROM_BYTES = 65_536;
/** The minimum length of a text that is compressed piece by piece, in bytes. A shorter one is compressed at once. */
const STREAM_FROM_BYTES = 1_048_576;
/** The gzip level. Level 3 takes less than half the time of the default level 6, and the result is 13 % larger. */
export const LEVEL = 3;
/**
 * Returns the size of zlib's output chunks, in bytes: at least 64, which is the minimum of zlib, and at most 16 MiB.
 */
export const chunkSize = (bytes: number) => Math.min(Math.max(Math.ceil(bytes), 64), 16_777_216);

const gzipInThread = promisify(gzip);

/** Encodes a text. Compresses it with gzip if it is long enough. */
export function encodeText(text: string): Promise<EncodedText> {
  return encodeBytes(Buffer.from(text));
}

/** Encodes an object as JSON. Compresses the JSON with gzip if it is long enough, unless `isGzip` is false. */
export function encodeObject(fields: object, isGzip = true): Promise<EncodedText> {
  return encodeBytes(jsonBytes(fields), isGzip);
}

/** Encodes an object as JSON and adds one member. The value of that member is JSON text already, and is not parsed. */
export function encodeWith(fields: object, name: string, member: EncodedText): Promise<EncodedText> {
  const before = `${JSON.stringify(fields).slice(0, -1)},"${name}":`;
  return encodeBytes(Buffer.concat([Buffer.from(before), decodeText(member), Buffer.from('}')]));
}

/** The options of `encodePieces`. */
export interface PiecesOptions {
  /** Whether to compress the text. */
  readonly isGzip: boolean;
  /** Called with each new length of the text, before and after encoding, in bytes. An error ends the reading. */
  readonly onLength?: (length: number, encodedLength: number) => void;
}

/** Encodes a text that comes in pieces of UTF-8, some at a time. Of a long text that is compressed, it keeps only the compressed bytes. */
export async function encodePieces(
  pieces: AsyncIterable<readonly Uint8Array[]>,
  { isGzip, onLength = () => {} }: PiecesOptions,
): Promise<EncodedText> {
  const iterator = pieces[Symbol.asyncIterator]();
  let [length, encodedLength] = [0, 0];

  async function next(): Promise<readonly Uint8Array[] | undefined> {
    const { done, value } = await iterator.next();
    if (done) return undefined;
    for (const bytes of value) length += bytes.length;
    onLength(length, encodedLength);
    return value;
  }

  const begin: Uint8Array[] = [];
  while (!isGzip || length < STREAM_FROM_BYTES) {
    const some = await next();
    if (some) {
      begin.push(...some);
      continue;
    }
    const text = await encodeBytes(Buffer.concat(begin), isGzip);
    onLength(length, text.bytes.length);
    return text;
  }

  async function* all(): AsyncGenerator<Uint8Array> {
    yield Buffer.concat(begin);
    for (let some = await next(); some; some = await next()) yield Buffer.concat(some);
  }

  const kept: Uint8Array[] = [];
  await pipeline(all(), createGzip({ level: LEVEL }), async (compressed: AsyncIterable<Uint8Array>) => {
    for await (const bytes of compressed) {
      encodedLength += bytes.length;
      onLength(length, encodedLength);
      kept.push(bytes);
    }
  });
  return { encoding: 'gzip', bytes: Buffer.concat(kept), length };
}

/** Encodes the bytes of a text. Compresses them with gzip if they are many enough, unless `isGzip` is false. */
export async function encodeBytes(plain: Buffer, isGzip = true): Promise<EncodedText> {
  if (!isGzip || plain.length < GZIP_FROM_BYTES) return { encoding: 'identity', bytes: plain, length: plain.length };
  const options = { level: LEVEL, chunkSize: chunkSize(plain.length / 4) };
  const bytes = plain.length < THREAD_FROM_BYTES ? gzipSync(plain, options) : await gzipInThread(plain, options);
  return { encoding: 'gzip', bytes, length: plain.length, plain };
}

/** Returns the plain bytes of a text. Decompresses them into one buffer, because their number is known. */
export function decodeText({ encoding, bytes, length, plain }: EncodedText): Uint8Array {
  if (plain || encoding === 'identity') return plain ?? bytes;
  return gunzipSync(bytes, { chunkSize: chunkSize(length), maxOutputLength: length });
}

/** How many list entries are written as one text. Small texts never leave the young generation of the heap. */
const ENTRIES_AT_ONCE = 50;

/** Writes an object as JSON in UTF-8. Writes long lists in pieces, which needs less memory. */
export function jsonBytes(fields: object): Buffer {
  if (!Object.values(fields).some(isLong)) return Buffer.from(JSON.stringify(fields));
  return Buffer.concat(Array.from(textsOf(fields), (text) => Buffer.from(text)));
}

function isLong(member: unknown): member is readonly unknown[] {
  return Array.isArray(member) && member.length > ENTRIES_AT_ONCE;
}

function* textsOf(fields: object): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(fields)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    if (isLong(member)) {
      yield '[';
      yield* entryTexts(member);
      yield ']';
    } else yield JSON.stringify(member);
    before = ',';
  }
  yield '}';
}

/** Yields the entries of a list as JSON, without the brackets. @param before the text before the first entry */
export function* entryTexts(entries: readonly unknown[], before = ''): Generator<string> {
  let separator = before;
  for (let from = 0; from < entries.length; from += ENTRIES_AT_ONCE) {
    const text = JSON.stringify(entries.slice(from, from + ENTRIES_AT_ONCE)).slice(1, -1);
    yield `${separator}${text}`;
    separator = ',';
  }
}
