import { createHash } from 'node:crypto';
import { parseJson } from '../../contract/json.ts';
import { LIMITS } from '../../contract/limits.ts';
import { Problem } from '../../contract/problem.ts';
import type { Entry, ManifestFile } from './manifest.ts';
import { digestOf, ownKeyOf } from './manifest-line.ts';

/**
 * Reads a whole manifest before its first line runs.
 * @param onEntry called with each entry
 * @returns the SHA-256 of the manifest's bytes, in hex
 * @throws {Problem} `invalid-parameter` if the manifest is not JSON Lines
 */
export async function scanManifest(file: ManifestFile, onEntry: (entry: Entry) => void): Promise<string> {
  const hash = createHash('sha256');
  async function* hashing() {
    for await (const chunk of file.chunks()) {
      hash.update(chunk);
      yield chunk;
    }
  }
  for await (const entry of entriesIn(hashing())) onEntry(entry);
  return hash.digest('hex');
}

/** Reads the entries of a manifest in order. @throws {Problem} `invalid-parameter` if the manifest is not JSON Lines */
export function entriesOf(file: ManifestFile): AsyncGenerator<Entry> {
  return entriesIn(file.chunks());
}

async function* entriesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const counts = new Map<string, number>();
  let entry = 0;
  for await (const { text, ...position } of jsonLines(chunks, LIMITS.bodyBytes)) {
    if (entry === 0 && text) requireJsonLines(text);
    const content = text && contentToCount(text);
    const occurrence = content === undefined ? 1 : (counts.get(content) ?? 0) + 1;
    if (content !== undefined) counts.set(content, occurrence);
    yield { entry: ++entry, ...position, occurrence };
  }
}

/**
 * Checks the first line of a manifest: it must begin with `{`. A line with only `{` is the start of formatted JSON.
 * @throws {Problem} `invalid-parameter`
 */
function requireJsonLines(firstLine: Uint8Array): void {
  const line = Buffer.from(firstLine).toString().trim();
  if (line.startsWith('{') && line !== '{') return;
  const filter = line.startsWith('[') ? "'.[]'" : '.';
  const hint = /^[[{]/.test(line) ? ` To convert this file, run: jq -c ${filter} manifest.json > manifest.jsonl` : '';
  const detail = `The manifest is not JSON Lines. Write one command on each line, such as {"delete":{"scope":"project","customId":"manual/4.9"}}.${hint}`;
  throw new Problem('invalid-parameter', { detail, errors: [{ pointer: '', code: 'syntax', detail }] });
}

/** How many bytes of a digest are kept to find equal lines. They suffice for a billion lines, and save memory. */
const COUNTED_BYTES = 16;

/** Returns a hash that only equal lines share; `undefined` if the line has an `idempotencyKey` or cannot be parsed. */
function contentToCount(line: Uint8Array): string | undefined {
  try {
    const value = parseJson(line);
    if (ownKeyOf(value) !== undefined) return undefined;
    return Buffer.from(digestOf(value), 'base64url').toString('latin1', 0, COUNTED_BYTES);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** A line of a manifest. */
interface TextLine {
  /** The line's number, from 1, as an editor shows it. */
  readonly line: number;
  /** The position of the line's first byte in the file. */
  readonly offset: number;
  /** The length of the line in bytes, without its line feed. */
  readonly bytes: number;
  /** The bytes of the line; `undefined` if the line is longer than `maxBytes`. */
  readonly text: Uint8Array | undefined;
}

/**
 * Reads the lines of a file, except blank lines. The last line needs no line feed.
 * @param maxBytes the size limit of a line whose bytes are kept in memory
 */
async function* jsonLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<TextLine> {
  let line = 1;
  let offset: number | undefined;
  let end = 0;
  let isBlank = true;
  let parts: Uint8Array[] = [];
  const lineUpTo = (to: number, start: number): TextLine => {
    const bytes = to - start;
    const joined = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    return { line, offset: start, bytes, text: bytes > maxBytes ? undefined : joined };
  };
  for await (const chunk of withoutByteOrderMark(chunks)) {
    offset ??= chunk.offset;
    for (let from = 0; from < chunk.bytes.length; ) {
      const lineFeed = chunk.bytes.indexOf(LINE_FEED, from);
      const to = lineFeed === -1 ? chunk.bytes.length : lineFeed;
      const part = chunk.bytes.subarray(from, to);
      isBlank &&= part.every(isJsonSpace);
      if (chunk.offset + to - offset <= maxBytes) parts.push(part);
      if (lineFeed !== -1) {
        if (!isBlank) yield lineUpTo(chunk.offset + to, offset);
        line++;
        offset = chunk.offset + to + 1;
        isBlank = true;
        parts = [];
      }
      from = to + 1;
    }
    end = chunk.offset + chunk.bytes.length;
  }
  if (!isBlank && offset !== undefined) yield lineUpTo(end, offset);
}

/** Reads chunks with their offset in the file, and skips the byte order mark that some editors write at its start. */
async function* withoutByteOrderMark(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly offset: number; readonly bytes: Uint8Array }> {
  let head: Uint8Array | undefined = new Uint8Array();
  let offset = 0;
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (head) {
      head = bytes = Buffer.concat([head, chunk]);
      if (bytes.length < BYTE_ORDER_MARK.length) continue;
      if (BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte)) offset = BYTE_ORDER_MARK.length;
      bytes = bytes.subarray(offset);
      head = undefined;
    }
    yield { offset, bytes };
    offset += bytes.length;
  }
  if (head) yield { offset, bytes: head };
}

function isJsonSpace(byte: number): boolean {
  return byte === 0x20 || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === 0x09;
}
