import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import type { Project } from '../contract/answer.ts';

/**
 * A whole project as its JSON text, encoded once for the store and for the wire: at 30,000 segments,
 * compressing it a second time would cost more than everything else together.
 */
export interface ProjectDocument {
  readonly id: number;
  readonly segments: number;
  readonly targetLanguages: number;
  readonly json: EncodedJson;
}

/** JSON in UTF-8, as it is or gzip-encoded. */
export interface EncodedJson {
  readonly encoding: 'identity' | 'gzip';
  readonly bytes: Uint8Array;
  /** How many bytes it has without encoding. */
  readonly length: number;
}

/** Below this many bytes gzip saves less than it costs. */
const WORTH_GZIP_BYTES = 1_024;
/** From this many bytes on the work is given to another thread, so that other requests go on. */
const WORTH_A_THREAD_BYTES = 65_536;
/** Level 3 compresses project JSON a third faster than the default 6 and 10 % less: see `npm run bench`. */
const LEVEL = 3;

const gzipElsewhere = promisify(gzip);
const gunzipElsewhere = promisify(gunzip);

/** Makes the document of a project. */
export async function documentOf(project: Project): Promise<ProjectDocument> {
  return {
    id: project.id,
    segments: project.segments.length,
    targetLanguages: project.targetLanguages.length,
    json: await encodeJson(JSON.stringify(project)),
  };
}

/** Encodes JSON text, with gzip where that pays. */
export async function encodeJson(text: string): Promise<EncodedJson> {
  const plain = Buffer.from(text);
  if (plain.length < WORTH_GZIP_BYTES) return { encoding: 'identity', bytes: plain, length: plain.length };
  const options = { level: LEVEL };
  const bytes = plain.length < WORTH_A_THREAD_BYTES ? gzipSync(plain, options) : await gzipElsewhere(plain, options);
  return { encoding: 'gzip', bytes, length: plain.length };
}

/** The JSON's bytes without encoding. */
export async function decodeJson({ encoding, bytes, length }: EncodedJson): Promise<Uint8Array> {
  if (encoding === 'identity') return bytes;
  return length < WORTH_A_THREAD_BYTES ? gunzipSync(bytes) : gunzipElsewhere(bytes);
}
