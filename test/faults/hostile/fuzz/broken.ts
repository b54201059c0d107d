import fc from 'fast-check';
import { chunked, type Draft, type Header, headOf, soundly, type Utterance, unsoundly } from './draft.ts';
import { flipped, fraction, inserted } from './spoils.ts';

/** What makes bytes of a request that are no HTTP, or no whole request. */
type Break = (draft: Draft) => Utterance;

const METHODS = ['get', 'BREW', '', ' GET', 'GET\0', 'CONNECT', 'PRI', '\r\nGET', 'G\x80T', 'X'.repeat(9_000)];
const TARGETS = [
  '',
  'nowhere',
  'example.com:443',
  '*x',
  '/ x',
  '/\0',
  '/\t',
  '/\r',
  '/\n',
  '/\x7f',
  '/\x80\xff',
  `/${'x'.repeat(20_000)}`,
];
const VERSIONS = [
  '',
  'HTTP/0.9',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/9.9',
  'HTTP/1',
  'http/1.1',
  'HTTP/1.1 ',
  'HTTP/1.1\0',
  'HTTP/-1.1',
  'XTTP/1.1',
];
const HEADERS: readonly Header[] = [
  ['X Y', 'z'],
  ['X\0', 'z'],
  ['', 'z'],
  ['\xe4', 'z'],
  ['X', 'a\0b'],
  ['X', 'a\rb'],
  ['X', 'a\nY: b'],
  ['X', 'a\r\n folded'],
  ['Host', 'a\r\n b'],
  [' X', 'y'],
  ['X ', 'y'],
  ['X', 'y'.repeat(20_000)],
  ['X'.repeat(20_000), 'y'],
];

/** Lengths that contradict each other or are none. */
const LENGTHS: readonly ((body: Buffer) => readonly Header[])[] = [
  (body) => [
    ['Content-Length', `${body.length}`],
    ['Transfer-Encoding', 'chunked'],
  ],
  (body) => [
    ['Transfer-Encoding', 'chunked'],
    ['Content-Length', `${body.length}`],
  ],
  (body) => [
    ['Content-Length', '5'],
    ['Content-Length', `${body.length}`],
  ],
  (body) => [
    ['Content-Length', `${body.length}`],
    ['content-length', '0'],
  ],
  (body) => [['Content-Length', `${body.length}, ${body.length}`]],
  (body) => [['Content-Length', `+${body.length}`]],
  (body) => [['Content-Length', `-${body.length}`]],
  (body) => [['Content-Length', `0x${body.length.toString(16)}`]],
  (body) => [['Content-Length', `${body.length}.0`]],
  (body) => [['Content-Length', `${body.length}e0`]],
  (body) => [['Content-Length', `${body.length + 7}`]],
  (body) => [['Content-Length', `184467440737095516${body.length}`]],
  () => [['Content-Length', '']],
  () => [['Content-Length', '\x0b5']],
  (body) => [
    ['Transfer-Encoding', 'xchunked'],
    ['Content-Length', `${body.length}`],
  ],
  () => [['Transfer-Encoding', 'xchunked']],
  () => [['Transfer-Encoding', 'identity']],
  () => [['Transfer-Encoding', 'chunked, identity']],
  () => [
    ['Transfer-Encoding', 'chunked'],
    ['Transfer-Encoding', 'identity'],
  ],
  () => [['Transfer-Encoding', 'chunked, chunked']],
  () => [['Transfer-Encoding', 'gzip, chunked']],
  () => [['Transfer-Encoding', '\x0bchunked']],
  () => [['Transfer-Encoding', '"chunked"']],
  (body) => [
    ['Transfer-Encoding ', 'chunked'],
    ['Content-Length', `${body.length}`],
  ],
  (body) => [
    ['Transfer-Encoding\t', 'chunked'],
    ['Content-Length', `${body.length}`],
  ],
  (body) => [
    ['X', 'y\nTransfer-Encoding: chunked'],
    ['Content-Length', `${body.length}`],
  ],
];

/** Bodies that are said to be chunked and are not. */
const CHUNKS = [
  ...[
    'zz\r\n',
    '-1\r\n',
    '0x5\r\nhello\r\n0\r\n\r\n',
    '5\nhello\n0\n\n',
    '5 \r\nhello\r\n0\r\n\r\n',
    '5\r\nhel',
    '\r\n',
    '5\r\n',
  ],
  ...[
    'ffffffffffffffff\r\nx',
    '10000000000000000\r\nx',
    '5\r\nhelloXX0\r\n\r\n',
    '5;\r\rhello\r\n0\r\n\r\n',
    '0\r\n',
    '0\r\nX',
  ],
  ...[
    `5;${'x'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
    '0\r\nContent-Length: 5\r\nBad Name: x\r\n\r\n',
    `0\r\n${'X: y\r\n'.repeat(3_000)}\r\n`,
  ],
];

const breaks: fc.Arbitrary<Break> = fc.oneof(
  fc.constantFrom(...METHODS).map(
    (method): Break =>
      (draft) =>
        unsoundly(soundly({ ...draft, method }).bytes),
  ),
  fc.constantFrom(...TARGETS).map(
    (target): Break =>
      (draft) =>
        unsoundly(soundly({ ...draft, target }).bytes),
  ),
  fc.constantFrom(...VERSIONS).map(
    (version): Break =>
      (draft) =>
        unsoundly(soundly({ ...draft, version }).bytes),
  ),
  fc.constantFrom(...HEADERS).map(
    (header): Break =>
      (draft) =>
        unsoundly(soundly({ ...draft, headers: [...draft.headers, header] }).bytes),
  ),
  fc.constantFrom(...LENGTHS).map(
    (lengths): Break =>
      (draft) =>
        unsoundly(headOf(draft, lengths(draft.body)), draft.body),
  ),
  fc.constantFrom(...CHUNKS).map(
    (chunks): Break =>
      (draft) =>
        unsoundly(headOf(draft, [['Transfer-Encoding', 'chunked']]), chunks),
  ),
  fc.tuple(fc.array(fraction, { minLength: 1, maxLength: 4 }), fc.nat(7)).map(
    ([places, bit]): Break =>
      (draft) =>
        unsoundly(flipped(soundly(draft).bytes, places, bit)),
  ),
  fc.tuple(fc.constantFrom('\0', '\r\n', '\r', '\n', ' ', ':', '\x80', 'HTTP/1.1', '\r\n\r\n'), fraction).map(
    ([piece, at]): Break =>
      (draft) =>
        unsoundly(inserted(soundly(draft).bytes.toString('latin1'), piece, at)),
  ),
  fc.constant<Break>((draft) => unsoundly(soundly(draft).bytes.toString('latin1').replaceAll('\r\n', '\n'))),
  fc
    .constantFrom(
      'hello\r\n\r\n',
      '\x16\x03\x01\x00\x01',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET /health\r\n',
      'HTTP/1.1 200 OK\r\n\r\n',
      '\0'.repeat(99),
    )
    .map(
      (bytes): Break =>
        () =>
          unsoundly(bytes),
    ),
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map(
    (bytes): Break =>
      () =>
        unsoundly(Buffer.from(bytes)),
  ),
);

/** A request as bytes that are no HTTP. */
export function broken(draft: fc.Arbitrary<Draft>): fc.Arbitrary<Utterance> {
  return fc.tuple(draft, breaks).map(([whole, apply]) => apply(whole));
}

/** A request of which the end is missing: nothing may come of it. */
export function cutShort(draft: fc.Arbitrary<Draft>): fc.Arbitrary<Utterance> {
  return fc.tuple(draft, fraction).map(([whole, at]) => {
    const { bytes } = soundly(whole);
    return { ...unsoundly(bytes.subarray(0, Math.floor(bytes.length * at))), isCut: true };
  });
}

/** Requests whose length is told in two ways, by one of which the deletion behind them is a request of its own. */
const SMUGGLERS: readonly ((inner: Buffer) => readonly (string | Buffer)[])[] = [
  (inner) => [`Content-Length: ${inner.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, inner],
  (inner) => [`Transfer-Encoding: chunked\r\nContent-Length: ${inner.length + 5}\r\n\r\n0\r\n\r\n`, inner],
  (inner) => [`Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n`, inner],
  (inner) => [`Content-Length: ${inner.length}\r\nContent-Length: 0\r\n\r\n`, inner],
  (inner) => [`Content-Length: 0, ${inner.length}\r\n\r\n`, inner],
  (inner) => [`Content-Length: ${inner.length}\r\n\r\n`, inner],
  (inner) => [`Content-Length: +0\r\n\r\n`, inner],
  (inner) => [`Content-Length: 0x0\r\n\r\n`, inner],
  (inner) => [`Content-Length:\x0b0\r\n\r\n`, inner],
  (inner) => [`Content-Length : 0\r\n\r\n`, inner],
  (inner) => [`Content-Length: 18446744073709551616\r\n\r\n`, inner],
  (inner) => [`Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, inner],
  (inner) => [`Transfer-Encoding: identity\r\n\r\n`, inner],
  (inner) => [`Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, inner],
  (inner) => [`Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`, inner],
  (inner) => [`Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n`, inner],
  (inner) => [`Transfer-Encoding : chunked\r\nContent-Length: ${inner.length + 5}\r\n\r\n0\r\n\r\n`, inner],
  (inner) => [`X: y\nTransfer-Encoding: chunked\r\nContent-Length: ${inner.length + 5}\r\n\r\n0\r\n\r\n`, inner],
  (inner) => [`Transfer-Encoding: chunked\r\n\r\n0\n\n`, inner],
  (inner) => [`Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n\r\n0\r\n\r\n`, inner],
  (inner) => [`Transfer-Encoding: chunked\r\n\r\n0;\n\r\n\r\n`, inner],
  (inner) => ['Transfer-Encoding: chunked\r\n\r\n', chunked(inner)],
  (inner) => [`X: y\n\n`, inner],
  (inner) => [`X: y\r\r\n`, inner],
  (inner) => [`Expect: 100-continue\r\nContent-Length: ${inner.length}\r\n\r\n`, inner],
];

/** A deletion that would be granted, in what is the body of another request, or no request at all. */
export function smuggled(carrier: fc.Arbitrary<Draft>, inner: fc.Arbitrary<Draft>): fc.Arbitrary<Utterance> {
  return fc.tuple(carrier, inner, fc.constantFrom(...SMUGGLERS)).map(([outer, wanted, smuggle]) => {
    const head = headOf(outer, []).subarray(0, -2);
    return unsoundly(head, ...smuggle(soundly(wanted).bytes));
  });
}
