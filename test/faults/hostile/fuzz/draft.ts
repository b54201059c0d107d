export type Header = readonly [name: string, value: string];

/** A request in parts, so that each part can be changed alone. Texts of the head are bytes, as Latin-1. */
export interface Draft {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  readonly framing: 'length' | 'chunked';
}

export type Spoil = (draft: Draft) => Draft;

/** The bytes of one request. */
export interface Utterance {
  readonly bytes: Buffer;
  /** Whether the bytes are one complete, well-formed HTTP request, which must be answered. */
  readonly isSound: boolean;
  /** Whether the gateway may close the connection with the answer. */
  readonly isLast: boolean;
  /** Whether the end of the request is missing. Such a request must have no effect. */
  readonly isCut: boolean;
}

/** A size far below the gateway's 16 KB: Node counts a head with many headers, sent in pieces, more than twice. */
const SMALL_HEAD = 5_000;

/** Returns the bytes of a well-formed request. */
export function soundly(draft: Draft): Utterance {
  const head = headOf(draft, lengthOf(draft));
  const isLast = draft.version === 'HTTP/1.0' || draft.headers.some(([name]) => /^(connection|expect)$/i.test(name));
  return {
    bytes: Buffer.concat([head, draft.framing === 'chunked' ? chunked(draft.body) : draft.body]),
    isSound: head.length < SMALL_HEAD,
    isLast,
    isCut: false,
  };
}

/** Returns an utterance whose bytes are not a complete HTTP request. Bytes after them have no meaning. */
export function unsoundly(...bytes: readonly (Buffer | string)[]): Utterance {
  const all = bytes.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part));
  return { bytes: Buffer.concat(all), isSound: false, isLast: true, isCut: false };
}

/** Returns request line and headers, with further headers at the end. */
export function headOf({ method, target, version, headers }: Draft, more: readonly Header[]): Buffer {
  const lines = [...headers, ...more].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${target} ${version}\r\n${lines.join('')}\r\n`, 'latin1');
}

function lengthOf({ body, framing }: Draft): Header[] {
  if (framing === 'chunked') return [['Transfer-Encoding', 'chunked']];
  return body.length === 0 ? [] : [['Content-Length', `${body.length}`]];
}

/** Returns a body in up to two chunks. */
export function chunked(body: Buffer): Buffer {
  const half = Math.ceil(body.length / 2);
  const chunks = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  const told = chunks.flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']);
  return Buffer.concat([...told, '0\r\n\r\n'].map((part) => Buffer.from(part)));
}
