import type { Place } from '../../lib/workflow/bulk/manifest.ts';
import { isSpace, LINE_FEED, piecesOf } from '../../lib/workflow/bulk/pieces.ts';

const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];
const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const COMMA = 0x2c;

/** Where the entries of a JSON array are, so that a large array is read one entry at a time. @throws {SyntaxError} */
export async function* entriesOfArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Place> {
  let line = 1;
  // 0 before the array, 1 in it, more in what its entries hold
  let depth = 0;
  let isOver = false;
  let isInString = false;
  let isEscaped = false;
  let start: { line: number; offset: number } | undefined;
  let entries = 0;
  for await (const { at, bytes } of piecesOf(chunks)) {
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0;
      if (byte === LINE_FEED) line++;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
        continue;
      }
      if (isSpace(byte)) continue;
      if (isOver) throw malformed(line, 'Nothing may follow the array.');
      if (depth === 0 && byte !== OPENING[0]) throw malformed(line, 'It must begin with a bracket.');
      const isEnd = depth === 1 && byte === CLOSING[0];
      if (depth === 1 && (isEnd || byte === COMMA)) {
        if (start !== undefined) yield { ...start, bytes: at + index - start.offset };
        else if (!isEnd || entries > 0) throw malformed(line, 'A comma is followed by no entry, or follows none.');
        entries++;
        start = undefined;
        isOver = isEnd;
        continue;
      }
      if (depth > 0) start ??= { line, offset: at + index };
      isInString = byte === QUOTE;
      if (OPENING.includes(byte)) depth++;
      else if (CLOSING.includes(byte)) depth--;
    }
  }
  if (!isOver) throw malformed(line, 'The array has no end.');
}

function malformed(line: number, what: string): SyntaxError {
  return new SyntaxError(`Not a JSON array: line ${line}. ${what}`);
}
