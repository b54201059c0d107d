import { createHash, type Hash } from 'node:crypto';
import { parseJson } from '../../contract/json.ts';
import { LIMITS } from '../../contract/limits.ts';
import { Problem } from '../../contract/problem.ts';
import { Occurrences } from './identity.ts';
import { jsonLines } from './json-lines.ts';
import { identityOf } from './line.ts';
import type { Entry, ManifestFile } from './manifest.ts';
import { requireJsonLines } from './other-formats.ts';

/**
 * Reads a whole manifest before any of it is run.
 * @param each is given every entry
 * @returns the SHA-256 of its bytes, in hex
 * @throws {Problem} `invalid-parameter` if it is not JSON Lines
 */
export async function scan(file: ManifestFile, each: (entry: Entry) => void): Promise<string> {
  const hash = createHash('sha256');
  for await (const entry of entriesIn(hashing(file.chunks(), hash))) each(entry);
  return hash.digest('hex');
}

/** The entries of a manifest, in order. @throws {Problem} `invalid-parameter` if it is not JSON Lines */
export function entriesOf(file: ManifestFile): AsyncGenerator<Entry> {
  return entriesIn(file.chunks());
}

async function* entriesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const occurrences = new Occurrences();
  let entry = 0;
  for await (const { text, ...place } of jsonLines(chunks, LIMITS.bodyBytes)) {
    if (entry === 0 && text) requireJsonLines(text);
    yield { entry: ++entry, ...place, occurrence: occurrenceOf(text, occurrences) };
  }
}

/** A line that cannot be read, or has a key of its own, is not counted: its number says nothing. */
function occurrenceOf(text: Uint8Array | undefined, occurrences: Occurrences): number {
  if (!text) return 1;
  try {
    const identity = identityOf(parseJson(text));
    return 'digest' in identity ? occurrences.count(identity.digest) : 1;
  } catch (error) {
    if (error instanceof Problem) return 1;
    throw error;
  }
}

async function* hashing(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
