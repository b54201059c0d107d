import { promisify } from 'node:util';
import { gunzipSync, gzip, gzipSync } from 'node:zlib';
import { Project } from '../contract/answer.ts';
import { jsonBytes } from './json-bytes.ts';
import type { GivenProject } from './port.ts';

/**
 * A whole project as its JSON text, encoded once for the store and for the wire: at 30,000 segments,
 * compressing it a second time would cost more than everything else together.
 */
export interface ProjectDocument {
  readonly id: number;
  /** How many it has; null if another service does not show them. */
  readonly segments: number | null;
  readonly targetLanguages: number | null;
  readonly json: EncodedText;
}

/** A text in UTF-8, as it is or gzip-encoded. */
export interface EncodedText {
  readonly encoding: 'identity' | 'gzip';
  readonly bytes: Uint8Array;
  /** How many bytes it has without encoding. */
  readonly length: number;
  /** The bytes without encoding, where they are at hand from encoding them. */
  readonly plain?: Uint8Array;
}

/** Below this many bytes gzip saves less than it costs. */
const WORTH_GZIP_BYTES = 1_024;
/** From this many bytes on compressing is given to another thread, so that other requests go on. */
const WORTH_A_THREAD_BYTES = 65_536;
/** Level 3 takes less than half the time of the default 6, and the result is 13 % larger. */
const LEVEL = 3;
/** The most a chunk is; the smallest that zlib takes is 64. */
const chunkSize = (bytes: number) => Math.min(Math.max(bytes, 64), 16_777_216);

const gzipElsewhere = promisify(gzip);

/** Makes the document of a project. Its segments stand last. */
export async function documentOf({ segments, ...head }: GivenProject): Promise<ProjectDocument> {
  return {
    id: head.id,
    segments: countOf(segments),
    targetLanguages: countOf(head.targetLanguages),
    json: await encode(jsonBytes({ ...head, segments })),
  };
}

/** How many entries a list has; null if it is not a list. */
export function countOf(list: unknown): number | null {
  return Array.isArray(list) ? list.length : null;
}

/** Encodes a text, with gzip where that pays. */
export function encodeText(text: string): Promise<EncodedText> {
  return encode(Buffer.from(text));
}

/** Encodes an object with one more member, whose text is not parsed for it. */
export function encodeWith(fields: object, name: string, member: EncodedText): Promise<EncodedText> {
  const before = `${JSON.stringify(fields).slice(0, -1)},"${name}":`;
  return encode(Buffer.concat([Buffer.from(before), decodeText(member), Buffer.from('}')]));
}

async function encode(plain: Buffer): Promise<EncodedText> {
  if (plain.length < WORTH_GZIP_BYTES) return { encoding: 'identity', bytes: plain, length: plain.length };
  const options = { level: LEVEL, chunkSize: chunkSize(plain.length / 4) };
  const bytes = plain.length < WORTH_A_THREAD_BYTES ? gzipSync(plain, options) : await gzipElsewhere(plain, options);
  return { encoding: 'gzip', bytes, length: plain.length, plain };
}

/** The text's bytes without encoding. Their number is known, so they are unpacked into one piece. */
export function decodeText({ encoding, bytes, length, plain }: EncodedText): Uint8Array {
  if (plain || encoding === 'identity') return plain ?? bytes;
  return gunzipSync(bytes, { chunkSize: chunkSize(length), maxOutputLength: length });
}

/** The JSON value of a document. */
export function valueIn({ json }: ProjectDocument): unknown {
  return JSON.parse(Buffer.from(decodeText(json)).toString());
}

/** The project of a document of the hosted service. */
export function projectIn(document: ProjectDocument): Project {
  const value = valueIn(document);
  if (!isProject(value)) throw new TypeError('A document holds something else than a project');
  return value;
}

/** Asks the schema, and keeps the value itself: what the schema makes of it has its fields in another order. */
function isProject(value: unknown): value is Project {
  return Project.safeParse(value).success;
}
