import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemeOf } from '../../../lib/signatures/schemes.ts';
import type { SchemeSettings } from '../../../lib/signatures/stored-scheme.ts';
import { verifyMessage } from '../../../lib/signatures/verify-message.ts';
import { NOW_MS } from '../support.ts';
import { type Headers, PATH, received } from './messages.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const FORM = { name: 'template', algorithm: 'sha256', encoding: 'hex', signature: 'x-signature' } as const;
const TIME = { timestamp: 'x-time', timeUnit: 'seconds' } as const;

type Settings = Extract<SchemeSettings, { name: 'template' }>;

const claimOf = (settings: Settings, headers: Headers, body: string | Uint8Array, path = PATH) =>
  schemeOf(settings).readClaim(received({ 'x-signature': '0'.repeat(64), ...headers }, body, { path }));

/** Returns the signed text of a message; `undefined` if the message is refused before its signature is verified. */
function textOf(...given: Parameters<typeof claimOf>): string | undefined {
  const claim = claimOf(...given);
  return typeof claim === 'string'
    ? undefined
    : Buffer.concat(claim.signed.map((piece) => Buffer.from(piece))).toString('latin1');
}

describe('a template', () => {
  it('signs each field where it stands', () => {
    const settings = {
      ...FORM,
      ...TIME,
      template: '{method} {path} {header:x-topic} {header:x-parts#env} {id}.{timestamp}.{body}',
      id: 'x-parts#id',
      parts: 'id;env',
    };
    const headers = { 'x-time': '1795167000', 'x-parts': 'id=msg_1;env=live', 'x-topic': 'page' };
    expect(textOf(settings, headers, '{"a":1}')).toBe(`POST ${PATH} page live msg_1.1795167000.{"a":1}`);
    for (const name of Object.keys(headers))
      expect(claimOf(settings, { ...headers, [name]: undefined }, '{}')).toBe('missing');
  });

  it('with the headers that the sender lists signs these, and the list itself and the time must be among them', () => {
    const settings = { ...FORM, ...TIME, template: '{headers:x-list}\n{body}' };
    const textFor = (list: string) => textOf(settings, { 'x-a': '1', 'x-time': '1795167000', 'x-list': list }, 'body');
    expect(textFor('x-a,x-list,x-time')).toBe('x-a:1;x-list:x-a,x-list,x-time;x-time:1795167000\nbody');
    const wrong = ['', 'x-a', 'x-list', 'x-a,x-time', 'x-a,x-list', 'x-list,x-time,x-time', 'x-list,x-time,x-none'];
    for (const list of [...wrong, 'x-list, x-time', 'X-List,x-time', 'x-list,x-time,'])
      expect([list, textFor(list)]).toEqual([list, undefined]);
  });

  it('signs a body as a JSON string only if it is UTF-8', () => {
    const settings = { ...FORM, template: '{"body":{body:json}}' };
    expect(textOf(settings, {}, 'a"b')).toBe('{"body":"a\\"b"}');
    for (const bytes of [[0xfe], [0xc3], [0xed, 0xa0, 0x80]])
      expect(claimOf(settings, {}, Buffer.from(bytes))).toBe('malformed');
  });
});

/** Fields of few different characters, so that two messages often have equal texts. */
const few = fc.stringMatching(/^[a.:;]{1,4}$/);
const MESSAGE = fc.record({
  headers: fc.record({
    'x-id': few,
    'x-a': few,
    'x-b': few,
  }),
  body: fc.oneof(few, fc.constantFrom('\n', '.', 'a\n')),
  path: few.map((text) => `/${text}`),
});

it.each([
  '{id}.{body}',
  '{body}.{id}',
  '{id}.:{body}',
  '{body}.:{id}',
  '{path}:{id}.{body}',
  '{id}.{body}:{header:x-a}',
  '{header:x-a}:{header:x-b}.{body}',
  '{body}:{header:x-a}.{header:x-b}',
  '{method}{body:json}{id}',
])('no two messages have the same signed text by %s', (template) => {
  const uses = (name: string) => template.includes(name);
  const settings = { ...FORM, template, ...(uses('{id}') && { id: 'x-id' }) };
  const seen = new Map<string, string>();
  let count = 0;
  fc.assert(
    fc.property(MESSAGE, ({ headers, body, path }) => {
      const text = textOf(settings, headers, body, path);
      if (text === undefined) return;
      count++;
      const counted = Object.entries(headers).filter(
        ([name]) => uses(`{header:${name}}`) || (name === 'x-id' && uses('{id}')),
      );
      const meaning = JSON.stringify([counted, body, uses('{path}') ? path : '']);
      expect(seen.get(text) ?? meaning).toBe(meaning);
      seen.set(text, meaning);
    }),
    { numRuns: 3_000 },
  );
  expect(count).toBeGreaterThan(100);
});

it('no two messages with a list of headers have the same signed text', () => {
  const settings = { ...FORM, template: '{headers:x-list}\n{body}' };
  const values = ['1', '2', '1;x-b:2', '2;x-b:2', '1;x-a:1', '1;x-list:x-a,x-list', '1\n', '', ';', 'x-b:1'];
  const lists = [
    'x-a,x-list',
    'x-list,x-a',
    'x-a,x-b,x-list',
    'x-b,x-a,x-list',
    'x-list,x-b',
    'x-list',
    'x-a,x-list,x-b',
  ];
  const seen = new Map<string, string>();
  for (const list of lists) {
    for (const [a, b] of values.flatMap((one) => values.map((other) => [one, other] as const))) {
      for (const body of ['', 'body', 'x-a:1\n', '1\nbody']) {
        const text = textOf(settings, { 'x-a': a, 'x-b': b, 'x-list': list }, body);
        if (text === undefined) continue;
        const meaning = JSON.stringify([list, list.includes('x-a') && a, list.includes('x-b') && b, body]);
        expect([text, seen.get(text) ?? meaning]).toEqual([text, meaning]);
        seen.set(text, meaning);
      }
    }
  }
  expect(seen.size).toBeGreaterThan(100);
});

describe('a header with parts', () => {
  const settings = {
    ...FORM,
    signature: 'x-signature#v1',
    timestamp: 'x-signature#t',
    timeUnit: 'seconds',
    template: '{timestamp}.{body}',
    parts: 't,v1',
  } as const;
  const sign = () =>
    schemeOf(settings).sign(SECRET, { id: '', atMs: NOW_MS, path: PATH, headers: {}, body: 'body' })?.['x-signature'] ??
    '';
  const isProven = (value: string) =>
    typeof verifyMessage(schemeOf(settings), [SECRET], received({ 'x-signature': value }, 'body'), NOW_MS) !== 'string';

  it('may have parts with other keys, and another signature during a rotation', () => {
    const own = sign();
    expect(own).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
    for (const value of [own, `${own},v0=x`, `${own},v1=${'0'.repeat(64)}`, own.split(',').toReversed().join()])
      expect([value, isProven(value)]).toEqual([value, true]);
    for (const value of [`${own},t=1`, own.replace(',', ', '), `${own},`, own.replace('v1=', ''), `t=1;${own}`])
      expect([value, isProven(value)]).toEqual([value, false]);
  });
});
