const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** A line of a file. */
export interface TextLine {
  /** The line's number, from 1, as an editor shows it. */
  readonly line: number;
  /** The position of its first byte. */
  readonly offset: number;
  /** Its length. */
  readonly bytes: number;
  /** Its content; `undefined` if it is longer than `maxBytes`. */
  readonly text: Uint8Array | undefined;
}

/**
 * Reads the lines of a file that are not blank. The last line needs no line feed.
 * @param maxBytes the longest line that is held in memory
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<TextLine> {
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

/** Skips the mark that some editors write at the start of a file. */
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
