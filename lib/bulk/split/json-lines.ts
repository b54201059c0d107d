import type { Place } from '../manifest.ts';
import { isSpace, LINE_FEED, piecesOf } from './pieces.ts';

/** The lines of JSON Lines that are not blank; the last needs no line end. */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Place> {
  let line = 1;
  let offset: number | undefined;
  let end = 0;
  let isBlank = true;
  for await (const { at, bytes } of piecesOf(chunks)) {
    offset ??= at;
    for (let from = 0; from < bytes.length; ) {
      const found = bytes.indexOf(LINE_FEED, from);
      const to = found === -1 ? bytes.length : found;
      isBlank &&= bytes.subarray(from, to).every(isSpace);
      if (found !== -1) {
        if (!isBlank) yield { line, offset, bytes: at + to - offset };
        line++;
        offset = at + to + 1;
        isBlank = true;
      }
      from = to + 1;
    }
    end = at + bytes.length;
  }
  if (!isBlank && offset !== undefined) yield { line, offset, bytes: end - offset };
}
