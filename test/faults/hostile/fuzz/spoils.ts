import fc from 'fast-check';
import type { Draft, Header, Spoil } from './draft.ts';
import { HEADERS, PATHS, QUERIES } from './pieces.ts';
import { CANARY } from './world.ts';

/** Puts a piece into a text, somewhere. */
export function inserted(text: string, piece: string, fraction: number): string {
  const at = Math.floor(text.length * fraction);
  return text.slice(0, at) + piece + text.slice(at);
}

export const fraction = fc.nat(999).map((n) => n / 1_000);

const header = fc.constantFrom(
  ...Object.entries(HEADERS).flatMap(([name, values]) => values.map((value): Header => [name, value])),
);
const changedHeaders =
  (change: (headers: readonly Header[]) => readonly Header[]): Spoil =>
  (draft) => ({ ...draft, headers: change(draft.headers) });
const withoutHeader = (headers: readonly Header[], name: string) =>
  headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());

/** The header with its value in the place of what there is, or beside it. */
const headers = fc
  .tuple(header, fc.boolean())
  .map(([added, isReplaced]) => changedHeaders((all) => [...(isReplaced ? withoutHeader(all, added[0]) : all), added]));
const oneLess = fc.nat(4).map((n) => changedHeaders((all) => all.toSpliced(n, 1)));
const oneTwice = fc.nat(4).map((n) => changedHeaders((all) => [...all, ...all.slice(n, n + 1)]));
const otherCase = fc
  .boolean()
  .map((up) =>
    changedHeaders((all) => all.map(([name, value]) => [up ? name.toUpperCase() : name.toLowerCase(), value])),
  );
const manyHeaders = fc
  .nat(900)
  .map((count) => changedHeaders((all) => [...all, ...Array.from({ length: count }, (): Header => ['x', 'y'])]));

const path = fc.tuple(fc.constantFrom(...PATHS), fraction).map(
  ([piece, at]): Spoil =>
    (draft) => {
      // The first slash stays: without it the target is none.
      return { ...draft, target: `/${inserted(draft.target.slice(1), piece, at)}` };
    },
);
const query = fc.constantFrom(...QUERIES).map(
  (text): Spoil =>
    (draft) => ({ ...draft, target: `${draft.target}${draft.target.includes('?') ? '&' : '?'}${text}` }),
);
const absolute = fc
  .constantFrom('http://example.com', 'https://someone@example.com:8443', 'gopher://x', 'http://[::1]')
  .map(
    (origin): Spoil =>
      (draft) => ({ ...draft, target: origin + draft.target }),
  );
const encoded = fc
  .constantFrom<(target: string) => string>(
    (target) => target.replaceAll(/\w/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    (target) => target.replaceAll('%', '%25'),
    (target) => target.toUpperCase(),
    (target) => `${target}/`,
  )
  // The absolute form names a server, which has no such spellings.
  .map(
    (change): Spoil =>
      (draft) =>
        draft.target.startsWith('/') ? { ...draft, target: change(draft.target) } : draft,
  );

/** The value of `Authorization` with some of it another. */
const credentials = fc
  .oneof(
    fc
      .tuple(fc.constantFrom('A', '=', '.', ' ', ':', '%', '\x80', 'é', '', '"', CANARY, 'A'.repeat(9_000)), fraction)
      .map(
        ([piece, at]) =>
          (value: string) =>
            inserted(value, piece, at),
      ),
    fraction.map((at) => (value: string) => value.slice(0, Math.floor(value.length * at))),
    fraction.map((at) => (value: string) => flipped(Buffer.from(value, 'latin1'), [at], 1).toString('latin1')),
    fc
      .constantFrom(
        'Digest x',
        `Basic ${Buffer.from(`sandbox:${CANARY}`).toString('base64')}`,
        `Basic ${Buffer.from('__proto__:x').toString('base64')}`,
        `Bearer ${CANARY}`,
        'Bearer eyJhbGciOiJub25lIn0.e30.',
        'Bearer ..',
      )
      .map((other) => () => other),
    fc.constant((value: string) => value.replace(/^\w+/, (scheme) => scheme.toUpperCase())),
  )
  .map((change) =>
    changedHeaders((all) =>
      all.map(([name, value]) => [name, name === 'Authorization' ? printable(change(value)) : value]),
    ),
  );

/** A header's value holds no control characters, or the request is none. */
function printable(value: string): string {
  return value.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?');
}

/** Bytes with a bit of some of them the other way. */
export function flipped(bytes: Buffer, places: readonly number[], bit: number): Buffer {
  const copy = Buffer.from(bytes);
  for (const place of places) {
    const at = Math.floor(copy.length * place);
    if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  }
  return copy;
}

const method = fc
  .constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT')
  .map(
    (name): Spoil =>
      (draft) => ({ ...draft, method: name }),
  );
const framing = fc.constant<Spoil>((draft) => ({ ...draft, framing: 'chunked' }));
const version = fc.constant<Spoil>((draft) => ({ ...draft, version: 'HTTP/1.0' }));

const bodyBytes: fc.Arbitrary<(body: Buffer) => Buffer> = fc.oneof(
  fc.tuple(fc.array(fraction, { minLength: 1, maxLength: 4 }), fc.nat(7)).map(
    ([places, bit]) =>
      (body: Buffer) =>
        flipped(body, places, bit),
  ),
  fraction.map((at) => (body: Buffer) => body.subarray(0, Math.floor(body.length * at))),
  fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 8 }), fraction).map(([bytes, at]) => (body: Buffer) => {
    const place = Math.floor(body.length * at);
    return Buffer.concat([body.subarray(0, place), bytes, body.subarray(place)]);
  }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => () => Buffer.from(bytes)),
);
const body = bodyBytes.map(
  (change): Spoil =>
    (draft: Draft) => ({ ...draft, body: change(draft.body) }),
);

/** What leaves a request whole and well-formed HTTP with its method, however senseless it is otherwise. */
export const harmless: fc.Arbitrary<Spoil> = fc.oneof(
  { weight: 4, arbitrary: headers },
  { weight: 3, arbitrary: query },
  { weight: 3, arbitrary: path },
  ...[credentials, oneTwice, otherCase, manyHeaders, absolute, encoded, framing].map((arbitrary) => ({
    weight: 1,
    arbitrary,
  })),
);

/** The same, and what may make another request of it. */
export const anything: fc.Arbitrary<Spoil> = fc.oneof(
  { weight: 5, arbitrary: harmless },
  { weight: 3, arbitrary: body },
  ...[method, oneLess, version].map((arbitrary) => ({ weight: 1, arbitrary })),
);
