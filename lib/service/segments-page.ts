import * as failures from '../contract/failures.ts';
import { LIMITS } from '../contract/limits.ts';
import { type ByteText, bytesIn } from './byte-text.ts';
import { encodePieces } from './encoded-text.ts';
import type { SegmentsPage, SegmentsQuery } from './port.ts';
import { nextTurn } from './turn.ts';

/** Some selected entries of a page: segments with their translations. */
export interface PageBatch {
  /** The position of each entry, in ascending order. A later page can start at any of them. */
  readonly positions: readonly number[];
  /** The least number of bytes of the first entry, if it may be long. */
  readonly leastBytes?: number;
  /**
   * Reads the JSON of the entries, in the order of `positions`; or, if they may be long, makes batches of fewer entries.
   * It is not called if no entry fits into the page.
   */
  readonly load: () => Entries | Promise<Entries>;
}
type Entries = Iterable<ByteText> | AsyncIterable<PageBatch>;

/** What limits a page. */
type PageLimits = Pick<SegmentsQuery, 'limit' | 'maxBytes' | 'isGzip' | 'whole'>;

/** How many entries are encoded at once, and after how many bytes of them. An entry may have 150 translations. */
const AT_ONCE = { entries: 100, bytes: 100_000 } as const;
/** How many bytes are made before other requests run. */
const BYTES_IN_TURN = 300_000;

/**
 * Fills a page with entries, as many as the limits of the query allow. It loads no batch after the first entry that does
 * not fit.
 * @param batches the selected entries from the start of the page on
 * @param revision names the state of the project that the entries show
 * @throws {Problem} `not-acceptable` if the first entry is too large for any page
 */
export async function segmentsPage(
  batches: Iterable<PageBatch> | AsyncIterable<PageBatch>,
  { limit = Number.POSITIVE_INFINITY, maxBytes, isGzip, whole }: PageLimits,
  revision: string,
): Promise<SegmentsPage> {
  const mostOfFirst = whole ? maxBytes : LIMITS.shownSegmentBytes;
  let count = 0;
  let bytes = '[]'.length;
  let given = bytes;
  let encodedBytes = 0;
  let next: SegmentsPage['next'];

  /** Yields the JSON of a batch. Sets `next` if an entry does not fit. */
  function* fitting(positions: readonly number[], entries: Iterable<ByteText>): Generator<Uint8Array[]> {
    let fit: ByteText[] = [];
    let index = 0;
    let start = bytes;
    for (const entry of entries) {
      if (count === 0 && entry.length > mostOfFirst) throw failures.segmentTooLarge();
      const text = count > 0 ? `,${entry}` : entry;
      bytes += text.length;
      if (count > 0 && (count >= limit || bytes > maxBytes)) {
        next = { position: positions[index] ?? 0, revision };
        break;
      }
      fit.push(text);
      index += 1;
      count += 1;
      if (fit.length < AT_ONCE.entries && bytes - start < AT_ONCE.bytes) continue;
      yield [bytesIn(fit.join(''))];
      fit = [];
      start = bytes;
    }
    yield [bytesIn(fit.join(''))];
  }

  /** Yields some pieces, and lets other requests run after each `BYTES_IN_TURN`. */
  async function* withTurns(some: Iterable<Uint8Array[]>): AsyncGenerator<Uint8Array[]> {
    for (const piece of some) {
      yield piece;
      if (bytes - given < BYTES_IN_TURN) continue;
      given = bytes;
      await nextTurn();
    }
  }

  async function* pieces(): AsyncGenerator<Uint8Array[]> {
    yield [Buffer.from('[')];
    yield* entriesOf(batches);
    yield [Buffer.from(']')];
  }

  async function* entriesOf(some: Iterable<PageBatch> | AsyncIterable<PageBatch>): AsyncGenerator<Uint8Array[]> {
    for await (const { positions, leastBytes = 0, load } of some) {
      const [position] = positions;
      if (count === 0 && leastBytes > mostOfFirst) throw failures.segmentTooLarge();
      const isTooLong = count > 0 && bytes + leastBytes > maxBytes;
      const isFull = count >= limit || isTooLong || (whole && encodedBytes > whole.maxEncodedBytes);
      if (isFull && position !== undefined) {
        next = { position, revision };
        return;
      }
      const entries = await load();
      if (Symbol.asyncIterator in entries) yield* entriesOf(entries);
      else yield* withTurns(fitting(positions, entries));
      if (next) return;
    }
  }

  const json = await encodePieces(pieces(), {
    isGzip,
    onLength: (_, length) => {
      encodedBytes = length;
    },
  });
  return { count, json, ...(next && { next }) };
}
