import type { Place } from './manifest.ts';
import { isSpace, LINE_FEED, piecesOf } from './pieces.ts';

/** A line with its bytes; `undefined` if it has more than the caller wants to hold. */
export interface TextLine extends Place {
  readonly text: Uint8Array | undefined;
}

/**
 * The lines of JSON Lines that are not blank. The last one needs no line end.
 * @param mostBytes the longest line that is held in memory
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<TextLine> {
  let line = 1;
  let offset: number | undefined;
  let end = 0;
  let isBlank = true;
  let held: Uint8Array[] = [];
  const textOf = (bytes: number) => (bytes > mostBytes ? undefined : held.length === 1 ? held[0] : Buffer.concat(held));
  for await (const { at, bytes } of piecesOf(chunks)) {
    offset ??= at;
    for (let from = 0; from < bytes.length; ) {
      const found = bytes.indexOf(LINE_FEED, from);
      const to = found === -1 ? bytes.length : found;
      const part = bytes.subarray(from, to);
      isBlank &&= part.every(isSpace);
      if (at + to - offset <= mostBytes) held.push(part);
      if (found !== -1) {
        const length = at + to - offset;
        if (!isBlank) yield { line, offset, bytes: length, text: textOf(length) };
        line++;
        offset = at + to + 1;
        isBlank = true;
        held = [];
      }
      from = to + 1;
    }
    end = at + bytes.length;
  }
  if (!isBlank && offset !== undefined) {
    yield { line, offset, bytes: end - offset, text: textOf(end - offset) };
  }
}
