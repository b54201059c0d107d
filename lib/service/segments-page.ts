import { encodePieces } from './encoded-text.ts';
import type { SegmentsPage, SegmentsQuery } from './port.ts';

/** One entry of a page: a segment with its translations. */
export interface PageEntry {
  /** The number of segments before this one in the project, or in its task if the query has one. */
  readonly position: number;
  readonly entry: object;
}

/** How many entries are written as one text. */
const ENTRIES_AT_ONCE = 50;

/**
 * Fills a page with entries, as many as the limits of the query allow. It reads no entry after the first one that does
 * not fit.
 * @param entries the selected entries from the start of the page on
 * @param revision names the state of the project that the entries show
 */
export async function segmentsPage(
  entries: Iterable<PageEntry>,
  { limit = Number.POSITIVE_INFINITY, maxBytes }: Pick<SegmentsQuery, 'limit' | 'maxBytes'>,
  revision: string,
): Promise<SegmentsPage> {
  let count = 0;
  let bytes = '[]'.length;
  let next: SegmentsPage['next'];

  function* pieces(): Generator<string> {
    yield '[';
    let texts: string[] = [];
    for (const { position, entry } of entries) {
      const text = (count === 0 ? '' : ',') + JSON.stringify(entry);
      bytes += Buffer.byteLength(text);
      if (count > 0 && (count >= limit || bytes > maxBytes)) {
        next = { position, revision };
        break;
      }
      texts.push(text);
      count += 1;
      if (texts.length < ENTRIES_AT_ONCE) continue;
      yield texts.join('');
      texts = [];
    }
    yield `${texts.join('')}]`;
  }

  const json = await encodePieces(pieces());
  return { count, json, ...(next && { next }) };
}
