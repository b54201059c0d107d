import fc from 'fast-check';
import type { Draft, Header, Spoil } from './draft.ts';
import { words } from './texts.ts';
import { CANARY } from './world.ts';

/** Texts that are legal inside a request target. */
const PATHS = [
  ...words(String.raw`% %zz %00 %0d%0a %ff %C3%A4 %F0%9F%98%80 %ED%A0%80 %C0%AF %u0041 %2 %25 %252F %2e%2e %2E %252e%252e
    .. . / // /../ /./ /..;/ \ %5c %2F %3F %23 ? ?? # #x & ; | { } < > " ^ * ~ @ : + $ ' ! , 0 1 9 99999999999999999999 -1
    1e3 0x1 .0 custom custom/ NaN __proto__`),
  ...['`', 'a'.repeat(300), 'a'.repeat(3_000), '%41'.repeat(1_000), '/a'.repeat(1_000), CANARY],
];

/** Query parameters that have a meaning, or nearly, and separators. */
const QUERIES = [
  ...words(`taskId taskId= taskId=one taskId=one& &taskId=two taskId=one&taskId=one taskId=one;taskId=two taskid=one TaskId=one
    task_id=one taskId[]=one taskId%00=one %74askId=one taskId=%6fne taskId=%20 taskId=+ taskId=%ff taskId=% taskId=%00
    taskId=%E2%80%8B taskId=%ED%A0%80 limit=1 limit=0 limit=101 limit=1e1 limit=-1 limit=٣ limit=%31 limit=1&limit=2
    cursor=c1 cursor=x cursor=czzzzzzzzzzz cursor= limit=2&cursor=c2s3 validateOnly=true validateOnly=false validateOnly=1
    status=automatic status=x languageCode=de-DE languageCode=xx limit=2&cursor=s1.a after=0 after=x state=InProgress
    revision=0 revision=7 revision= revision=-1 revision=1e1 revision=9007199254740992 revision=1&taskId=one Revision=1
    customIdPrefix=k done=true createdAfter=2059-01-01T00:00:00Z dueBefore=x
    validateOnly ValidateOnly=true & &&& ; = =x ? # | {} __proto__=x constructor=x toString`),
  ...['', 'a=b&'.repeat(500), `taskId=${CANARY}`, `cursor=${CANARY}`, `taskId=${'%F0%9F%98%80'.repeat(250)}`],
  ...[`taskId=${'x'.repeat(1_000)}`, `taskId=${'x'.repeat(1_001)}`],
];

/** Queries for which a deletion is refused, whatever follows them. */
export const FAULTY_QUERIES = [
  ...words(`taskId taskId= taskId=%20 taskId=%00 taskId=%E2%80%8B taskId=% taskId=%ff taskId=| taskid=one TaskId=one
    task_id=one taskId[]=one taskId%20=one %74askid=one +taskId=one x __proto__=x taskId=one&taskId=two
    taskId=one&taskId=one taskId=one;taskId=two taskId=one&x= x=&taskId=one taskId=one&limit=1 validateOnly=true limit=1
    cursor=c1 revision revision= revision=-1 revision=1.0 revision=9007199254740992 revision=1&revision=2 revision=1&taskId=one
    Revision=1`),
  ...[`taskId=${CANARY}-of-nobody`, `taskId=${'x'.repeat(1_001)}`],
];

/** Queries for which a put is refused, whatever follows them. */
export const FAULTY_PUT_QUERIES = words(`taskId taskId= taskId=%20 taskId=%ff taskid=one taskId=one&taskId=one x limit=1
  validateOnly=1 validateOnly revision revision= revision=-1 revision=01 revision=1&revision=1 revision=1&taskId=one
  taskId=one;revision=1 Revision=1`);

/** Legal values of headers, separated by bars. */
const VALUES: Readonly<Record<string, string>> = {
  Accept: `|*/*|*/*;q=0|text/html|application/json;q=abc|application/*|,,;,=|${', '.repeat(2_000)}`,
  'Accept-Encoding': '|gzip|br|*;q=0|gzip;q=0|identity;q=0|x-gzip|gzip;q=1e999',
  Prefer: `return=representation|return=minimal|return="representation"|return|=;,"|respond-async|wait=-1|${';'.repeat(900)}`,
  'Idempotency-Key': `|a b|\xe4|k, l|${'k'.repeat(255)}|${'k'.repeat(256)}|${CANARY}|k|"k"|l|""|"|k k"|\\|"\\"`,
  'Content-Type': '|application/json; charset=utf-16|application/json, text/plain|text/plain|application/x+json|/|;',
  'Content-Encoding': '|gzip, gzip|gzip|x-gzip|identity|br|GZIP|chunked',
  Host: `|a b|\xe4|${CANARY}|example.com|example.com:80|[::1]:80|a"b|[::1|a:99999`,
  Connection: 'keep-alive, close|close|keep-alive|upgrade|Authorization',
  Expect: '100-continue|100-Continue|the-unexpected',
  Upgrade: 'h2c|websocket',
  Authorization: '|Basic|Bearer|x',
  'X-Forwarded-For': `127.0.0.1|${CANARY}`,
  'X-Forwarded-Proto': 'gopher|https',
  'X-Request-Id': `mine|${CANARY}`,
  'X-HTTP-Method-Override': 'DELETE|POST',
  'X-Original-URL': '/segments/projects',
  'X-Company-Id': 'guarded-1',
  Range: 'bytes=0-1',
  'If-None-Match': '*',
  Trailer: 'Content-Length',
  TE: 'trailers, chunked',
  'Max-Forwards': '0',
  Cookie: CANARY,
  constructor: 'x',
  ['x'.repeat(2_000)]: 'x',
};
const HEADERS: readonly Header[] = [
  ...Object.entries(VALUES).flatMap(([name, values]) => values.split('|').map((value): Header => [name, value])),
  ['__proto__', 'x'],
];

/** Inserts a piece into a text, at a fraction of its length. */
export function inserted(text: string, piece: string, fraction: number): string {
  const at = Math.floor(text.length * fraction);
  return text.slice(0, at) + piece + text.slice(at);
}

/** Flips one bit of each byte at some places. */
export function flipped(bytes: Buffer, places: readonly number[], bit: number): Buffer {
  const copy = Buffer.from(bytes);
  for (const place of places) {
    const at = Math.floor(copy.length * place);
    if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  }
  return copy;
}

export const fraction = fc.nat(999).map((n) => n / 1_000);
export const places = fc.array(fraction, { minLength: 1, maxLength: 4 });

/** Returns a spoil that changes one part of a draft. */
const changing =
  <Part extends keyof Draft>(part: Part) =>
  (change: (value: Draft[Part]) => Draft[Part]): Spoil =>
  (draft) => ({ ...draft, [part]: change(draft[part]) });
const ofHeaders = changing('headers');
const ofTarget = changing('target');
const ofBody = changing('body');

const header = fc.tuple(fc.constantFrom(...HEADERS), fc.boolean()).map(([added, isReplaced]) => {
  const isOther = ([name]: Header) => !isReplaced || name.toLowerCase() !== added[0].toLowerCase();
  return ofHeaders((all) => [...all.filter(isOther), added]);
});
const lacking = fc.nat(4).map((n) => ofHeaders((all) => all.toSpliced(n, 1)));
const repeated = fc.nat(4).map((n) => ofHeaders((all) => [...all, ...all.slice(n, n + 1)]));
const otherCase = fc.boolean().map((isUpper) => {
  return ofHeaders((all) => all.map(([name, value]) => [isUpper ? name.toUpperCase() : name.toLowerCase(), value]));
});
const manyHeaders = fc.nat(900).map((count) => {
  return ofHeaders((all) => [...all, ...Array.from({ length: count }, (): Header => ['x', 'y'])]);
});

// The first slash stays, because a request needs a target.
const path = fc
  .tuple(fc.constantFrom(...PATHS), fraction)
  .map(([piece, at]) => ofTarget((target) => `/${inserted(target.slice(1), piece, at)}`));
const query = fc
  .constantFrom(...QUERIES)
  .map((text) => ofTarget((target) => `${target}${target.includes('?') ? '&' : '?'}${text}`));
const absolute = fc
  .constantFrom('http://example.com', 'https://someone@example.com:8443', 'gopher://x', 'http://[::1]')
  .map((origin) => ofTarget((target) => origin + target));
const encoded = fc
  .constantFrom<(target: string) => string>(
    (target) => target.replaceAll(/\w/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    (target) => target.replaceAll('%', '%25'),
    (target) => target.toUpperCase(),
    (target) => `${target}/`,
  )
  // The absolute form names a server, and has no such spellings.
  .map((change) => ofTarget((target) => (target.startsWith('/') ? change(target) : target)));

const basicOf = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
/** Replaces the value of `Authorization`. */
const credentials = fc
  .oneof<fc.Arbitrary<(value: string) => string>[]>(
    fc
      .tuple(fc.constantFrom('A', '=', '.', ' ', ':', '%', '\x80', 'é', '', '"', CANARY, 'A'.repeat(9_000)), fraction)
      .map(
        ([piece, at]) =>
          (value) =>
            inserted(value, piece, at),
      ),
    fraction.map((at) => (value) => value.slice(0, Math.floor(value.length * at))),
    fraction.map((at) => (value) => flipped(Buffer.from(value, 'latin1'), [at], 1).toString('latin1')),
    fc
      .constantFrom('Digest x', basicOf(`sandbox:${CANARY}`), basicOf('__proto__:x'), `Bearer ${CANARY}`, 'Bearer ..')
      .map((other) => () => other),
    fc.constant(() => 'Bearer eyJhbGciOiJub25lIn0.e30.'),
    fc.constant((value) => value.replace(/^\w+/, (scheme) => scheme.toUpperCase())),
  )
  .map((change) =>
    ofHeaders((all) => all.map(([name, value]) => [name, name === 'Authorization' ? printable(change(value)) : value])),
  );

/** Replaces control characters, which are not allowed in a header's value. */
function printable(value: string): string {
  return value.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?');
}

const method = fc
  .constantFrom(...words('GET POST DELETE PUT PATCH HEAD OPTIONS TRACE PROPFIND REPORT'))
  .map((name) => changing('method')(() => name));
const framing = fc.constant(changing('framing')(() => 'chunked'));
const version = fc.constant(changing('version')(() => 'HTTP/1.0'));
const body = fc.oneof(
  fc.tuple(places, fc.nat(7)).map(([at, bit]) => ofBody((bytes) => flipped(bytes, at, bit))),
  fraction.map((at) => ofBody((bytes) => bytes.subarray(0, Math.floor(bytes.length * at)))),
  fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 8 }), fraction).map(([added, at]) =>
    ofBody((bytes) => {
      const place = Math.floor(bytes.length * at);
      return Buffer.concat([bytes.subarray(0, place), added, bytes.subarray(place)]);
    }),
  ),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ofBody(() => Buffer.from(bytes))),
);

/** Changes that leave the request well-formed HTTP, with the same method. */
export const harmless: fc.Arbitrary<Spoil> = fc.oneof(
  { weight: 4, arbitrary: header },
  { weight: 3, arbitrary: query },
  { weight: 3, arbitrary: path },
  ...[credentials, repeated, otherCase, manyHeaders, absolute, encoded, framing],
);

/** Changes that may also turn the request into another one. */
export const anything: fc.Arbitrary<Spoil> = fc.oneof(
  { weight: 5, arbitrary: harmless },
  { weight: 3, arbitrary: body },
  ...[method, lacking, version],
);
