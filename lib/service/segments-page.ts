import { encodePieces } from './encoded-text.ts';
import type { SegmentsPage, SegmentsQuery } from './port.ts';

/** Some selected entries of a page: segments with their translations. */
export interface PageBatch {
  /** The position of each entry, in ascending order. A later page can start at any of them. */
  readonly positions: readonly number[];
  /** Reads the entries, in the order of `positions`. It is not called if no entry fits into the page. */
  readonly load: () => readonly object[] | Promise<readonly object[]>;
}

/** How many entries are written as one text. */
const ENTRIES_AT_ONCE = 50;

/**
 * Fills a page with entries, as many as the limits of the query allow. It loads no batch after the first entry that does
 * not fit.
 * @param batches the selected entries from the start of the page on
 * @param revision names the state of the project that the entries show
 */
export async function segmentsPage(
  batches: Iterable<PageBatch> | AsyncIterable<PageBatch>,
  { limit = Number.POSITIVE_INFINITY, maxBytes }: Pick<SegmentsQuery, 'limit' | 'maxBytes'>,
  revision: string,
): Promise<SegmentsPage> {
  let count = 0;
  let bytes = '[]'.length;
  let next: SegmentsPage['next'];

  /** Yields the texts of a batch. Sets `next` if an entry does not fit. */
  function* textsOf(positions: readonly number[], entries: readonly object[]): Generator<string> {
    let texts: string[] = [];
    for (const [index, entry] of entries.entries()) {
      const text = (count === 0 ? '' : ',') + JSON.stringify(entry);
      bytes += Buffer.byteLength(text);
      if (count > 0 && (count >= limit || bytes > maxBytes)) {
        next = { position: positions[index] ?? 0, revision };
        break;
      }
      texts.push(text);
      count += 1;
      if (texts.length < ENTRIES_AT_ONCE) continue;
      yield texts.join('');
      texts = [];
    }
    yield texts.join('');
  }

  async function* pieces(): AsyncGenerator<string> {
    yield '[';
    for await (const { positions, load } of batches) {
      const [position] = positions;
      if (count >= limit && position !== undefined) next = { position, revision };
      else yield* textsOf(positions, await load());
      if (next) break;
    }
    yield ']';
  }

  const json = await encodePieces(pieces());
  return { count, json, ...(next && { next }) };
}
