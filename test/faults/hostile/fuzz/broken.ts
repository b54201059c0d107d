import fc from 'fast-check';
import { chunked, type Draft, type Header, headOf, soundly, type Utterance, unsoundly } from './draft.ts';
import { flipped, fraction, inserted, places } from './spoils.ts';

/** Splits a text at its bars. */
const listed = (text: string) => text.split('|');

/** Request lines that are not HTTP. */
const PARTS: readonly Partial<Draft>[] = [
  ...listed(`get|BREW|| GET|GET\0|CONNECT|PRI|\r\nGET|G\x80T|${'X'.repeat(9_000)}`).map((method) => ({ method })),
  ...listed(`|nowhere|example.com:443|*x|/ x|/\0|/\t|/\r|/\n|/\x7f|/\x80\xff|/${'x'.repeat(20_000)}`).map((target) => ({
    target,
  })),
  ...listed('|HTTP/0.9|HTTP/1.2|HTTP/2.0|HTTP/9.9|HTTP/1|http/1.1|HTTP/1.1 |HTTP/1.1\0|HTTP/-1.1|XTTP/1.1').map(
    (version) => ({ version }),
  ),
];
const HEADER_LINES = [
  ...listed('X Y: z|X\0: z|: z|\xe4: z|X: a\0b|X: a\rb|X: a\nY: b|X: a\r\n folded|Host: a\r\n b| X: y|X : y'),
  ...[`X: ${'y'.repeat(20_000)}`, `${'X'.repeat(20_000)}: y`],
];

/** Lengths that are not numbers, and unknown encodings. `N` stands for the length of the body. */
const LENGTHS = [
  ...listed('N, N|+N|-N|0xN|N.0|Ne0|N7|184467440737095516N||\x0b5').map((length) => `Content-Length: ${length}`),
  ...listed('xchunked|identity|chunked, identity|chunked, chunked|gzip, chunked|\x0bchunked|"chunked"').map(
    (coding) => `Transfer-Encoding: ${coding}`,
  ),
];

/** Bodies whose chunks are malformed. */
const CHUNKS = [
  ...listed('zz\r\n|-1\r\n|0x5\r\nhello\r\n0\r\n\r\n|5\nhello\n0\n\n|5 \r\nhello\r\n0\r\n\r\n|5\r\nhel|\r\n|5\r\n'),
  ...listed('ffffffffffffffff\r\nx|10000000000000000\r\nx|5\r\nhelloXX0\r\n\r\n|5;\r\rhello\r\n0\r\n\r\n|0\r\n|0\r\nX'),
  `5;${'x'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
  '0\r\nContent-Length: 5\r\nBad Name: x\r\n\r\n',
  `0\r\n${'X: y\r\n'.repeat(3_000)}\r\n`,
];
const CHUNKED: Header = ['Transfer-Encoding', 'chunked'];

const WHOLES = [
  ...listed(
    'hello\r\n\r\n|\x16\x03\x01\x00\x01|PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n|GET /health\r\n|HTTP/1.1 200 OK\r\n\r\n',
  ),
  '\0'.repeat(99),
];
const INSERTED = ['\0', '\r\n', '\r', '\n', ' ', ':', '\x80', 'HTTP/1.1', '\r\n\r\n'];

/** Returns the head of a draft with more lines at its end, which need not be headers. */
function headWith(draft: Draft, lines: string): Buffer {
  return Buffer.concat([headOf(draft, []).subarray(0, -2), Buffer.from(`${lines}\r\n\r\n`, 'latin1')]);
}

type Break = (draft: Draft) => readonly (Buffer | string)[];
const breaks = fc.oneof<fc.Arbitrary<Break>[]>(
  fc.constantFrom(...PARTS).map((part) => (draft) => [soundly({ ...draft, ...part }).bytes]),
  fc.constantFrom(...HEADER_LINES).map((line) => (draft) => [headWith(draft, line), draft.body]),
  fc.constantFrom(...LENGTHS).map((lines) => (draft) => {
    return [headWith(draft, lines.replaceAll('N', `${draft.body.length}`)), draft.body];
  }),
  fc.constantFrom(...CHUNKS).map((chunks) => (draft) => [headOf(draft, [CHUNKED]), chunks]),
  fc.tuple(places, fc.nat(7)).map(([at, bit]) => (draft) => [flipped(soundly(draft).bytes, at, bit)]),
  fc.tuple(fc.constantFrom(...INSERTED), fraction).map(([piece, at]) => (draft) => {
    return [inserted(soundly(draft).bytes.toString('latin1'), piece, at)];
  }),
  fc.constant((draft) => [soundly(draft).bytes.toString('latin1').replaceAll('\r\n', '\n')]),
  fc.constantFrom(...WHOLES).map((bytes) => () => [bytes]),
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => () => [Buffer.from(bytes)]),
);

/** Returns a request whose bytes are not HTTP. */
export function broken(draft: fc.Arbitrary<Draft>): fc.Arbitrary<Utterance> {
  return fc.tuple(draft, breaks).map(([whole, apply]) => unsoundly(...apply(whole)));
}

/** Returns a request whose end is missing. It must have no effect. */
export function cutShort(draft: fc.Arbitrary<Draft>): fc.Arbitrary<Utterance> {
  return fc.tuple(draft, fraction).map(([whole, at]) => {
    const { bytes } = soundly(whole);
    return { ...unsoundly(bytes.subarray(0, Math.floor(bytes.length * at))), isCut: true };
  });
}

/**
 * Heads with two lengths. Read by one of them, the bytes that follow are a second request. `N` stands for the number of
 * these bytes, `M` for five more.
 */
const SMUGGLERS = [
  'Content-Length: M\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: M\r\n\r\n0\r\n\r\n',
  'Content-Length: 0\r\nContent-Length: N\r\n\r\n',
  'Content-Length: N\r\nContent-Length: 0\r\n\r\n',
  'Content-Length: 0, N\r\n\r\n',
  'Content-Length: N\r\n\r\n',
  'Content-Length: +0\r\n\r\n',
  'Content-Length: 0x0\r\n\r\n',
  'Content-Length:\x0b0\r\n\r\n',
  'Content-Length : 0\r\n\r\n',
  'Content-Length: 18446744073709551616\r\n\r\n',
  'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: identity\r\n\r\n',
  'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding : chunked\r\nContent-Length: M\r\n\r\n0\r\n\r\n',
  'X: y\nTransfer-Encoding: chunked\r\nContent-Length: M\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\n0\n\n',
  'Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\n0;\n\r\n\r\n',
  'X: y\n\n',
  'X: y\r\r\n',
  'Expect: 100-continue\r\nContent-Length: N\r\n\r\n',
];

/** Returns a valid deletion that is hidden in the body of another request, or where no request may begin. */
export function smuggled(carrier: fc.Arbitrary<Draft>, inner: fc.Arbitrary<Draft>): fc.Arbitrary<Utterance> {
  const heads = fc.option(fc.constantFrom(...SMUGGLERS), { freq: SMUGGLERS.length });
  return fc.tuple(carrier, inner, heads).map(([outer, wanted, head]) => {
    const { bytes } = soundly(wanted);
    if (head === null) return unsoundly(headOf(outer, [CHUNKED]), chunked(bytes));
    const lengths = head.replaceAll('N', `${bytes.length}`).replaceAll('M', `${bytes.length + 5}`);
    return unsoundly(headOf(outer, []).subarray(0, -2), lengths, bytes);
  });
}
