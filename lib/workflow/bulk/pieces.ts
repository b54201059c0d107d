/** Some bytes of a file, and where they are in it. */
export interface Piece {
  /** Of the first byte. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

export const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A byte order mark, which editors write and do not show. */
const MARK = [0xef, 0xbb, 0xbf];

/** The pieces of a file, without the mark that it may begin with. */
export async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let head: Uint8Array | undefined = new Uint8Array();
  let at = 0;
  for await (const bytes of chunks) {
    if (head === undefined) {
      yield { at, bytes };
      at += bytes.length;
      continue;
    }
    head = Buffer.concat([head, bytes]);
    if (head.length < MARK.length) continue;
    const from: number = MARK.every((byte, index) => head?.[index] === byte) ? MARK.length : 0;
    yield { at: from, bytes: head.subarray(from) };
    at = head.length;
    head = undefined;
  }
  if (head !== undefined) yield { at: 0, bytes: head };
}

/** Whether a byte is the white space of JSON. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === 0x09;
}
