import { promisify } from 'node:util';
import { gunzipSync, gzip, gzipSync } from 'node:zlib';

/** A text in UTF-8, plain or gzip-encoded. */
export interface EncodedText {
  readonly encoding: 'identity' | 'gzip';
  readonly bytes: Uint8Array;
  /** How many bytes it has without encoding. */
  readonly length: number;
  /** The plain bytes, if the text was encoded in this process. */
  readonly plain?: Uint8Array;
}

/** Below this many bytes gzip saves less than it costs. */
const GZIP_FROM_BYTES = 1_024;
/** From this many bytes on another thread compresses, so that other requests go on. */
const THREAD_FROM_BYTES = 65_536;
/** Level 3 takes less than half the time of the default 6, and the result is 13 % larger. */
const LEVEL = 3;
/** The most a chunk is; the smallest that zlib takes is 64. */
const chunkSize = (bytes: number) => Math.min(Math.max(bytes, 64), 16_777_216);

const gzipInThread = promisify(gzip);

/** Encodes a text, with gzip if that pays. */
export function encodeText(text: string): Promise<EncodedText> {
  return encode(Buffer.from(text));
}

/** Encodes an object as JSON, with gzip if that pays. */
export function encodeObject(fields: object): Promise<EncodedText> {
  return encode(jsonBytes(fields));
}

/** Encodes an object with one more member, whose text is already JSON and is not parsed. */
export function encodeWith(fields: object, name: string, member: EncodedText): Promise<EncodedText> {
  const before = `${JSON.stringify(fields).slice(0, -1)},"${name}":`;
  return encode(Buffer.concat([Buffer.from(before), decodeText(member), Buffer.from('}')]));
}

async function encode(plain: Buffer): Promise<EncodedText> {
  if (plain.length < GZIP_FROM_BYTES) return { encoding: 'identity', bytes: plain, length: plain.length };
  const options = { level: LEVEL, chunkSize: chunkSize(plain.length / 4) };
  const bytes = plain.length < THREAD_FROM_BYTES ? gzipSync(plain, options) : await gzipInThread(plain, options);
  return { encoding: 'gzip', bytes, length: plain.length, plain };
}

/** Decodes a text into its plain bytes. Their number is known, so they are unpacked into one piece. */
export function decodeText({ encoding, bytes, length, plain }: EncodedText): Uint8Array {
  if (plain || encoding === 'identity') return plain ?? bytes;
  return gunzipSync(bytes, { chunkSize: chunkSize(length), maxOutputLength: length });
}

/** How many list entries become one text: small texts never leave the young generation of the heap. */
const ENTRIES_AT_ONCE = 50;

/** Writes an object as JSON in UTF-8. Its long lists are written piece by piece. */
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
    if (isLong(member)) yield* listTexts(member);
    else yield JSON.stringify(member);
    before = ',';
  }
  yield '}';
}

function* listTexts(entries: readonly unknown[]): Generator<string> {
  let before = '[';
  for (let from = 0; from < entries.length; from += ENTRIES_AT_ONCE) {
    const text = JSON.stringify(entries.slice(from, from + ENTRIES_AT_ONCE)).slice(1, -1);
    yield `${before}${text}`;
    before = ',';
  }
  yield ']';
}
