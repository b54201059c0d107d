import type { Place } from '../manifest.ts';
import { CARRIAGE_RETURN, COMMA, isSpace, LINE_FEED, piecesOf, QUOTE } from './pieces.ts';

/** Where in a field a byte is: before its first, in one without quotes, in one with them, behind a quote in that. */
type Within = 'nothing' | 'plain' | 'quoted' | 'quote';

/**
 * The records of CSV that are not blank. One with a line end between its quotes goes over several lines. A quote is one
 * only where a field begins: whether the rest of the record is CSV is found out when it is read.
 */
export async function* csvRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Place> {
  let within: Within = 'nothing';
  let line = 1;
  let place: { line: number; offset: number } | undefined;
  let isBlank = true;
  let last: number | undefined;
  let end = 0;
  for await (const { at, bytes } of piecesOf(chunks)) {
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0;
      place ??= { line, offset: at + index };
      if (byte === LINE_FEED) line++;
      if (byte === LINE_FEED && within !== 'quoted') {
        const length = at + index - place.offset - (last === CARRIAGE_RETURN ? 1 : 0);
        if (!isBlank) yield { ...place, bytes: length };
        place = undefined;
        isBlank = true;
        within = 'nothing';
      } else {
        isBlank &&= isSpace(byte);
        within = next(within, byte);
      }
      last = byte;
    }
    end = at + bytes.length;
  }
  if (!isBlank && place !== undefined) yield { ...place, bytes: end - place.offset };
}

function next(within: Within, byte: number): Within {
  if (within === 'quoted') return byte === QUOTE ? 'quote' : 'quoted';
  if (byte === COMMA) return 'nothing';
  if (byte === QUOTE && within !== 'plain') return 'quoted';
  return 'plain';
}
