import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORM_TYPE, MAX_FORM_FIELDS, readBody } from '../../../../lib/webhooks/mapping/read-body.ts';
import { problemOf } from '../../support.ts';
import { creation, DeliveryWorld } from '../world.ts';

const read = (body: string | Uint8Array, type = FORM_TYPE) =>
  readBody({ 'content-type': type }, typeof body === 'string' ? Buffer.from(body) : body);
const encoded = (fields: readonly [string, string][]) => new URLSearchParams(fields).toString();
const faultOf = async (body: string | Uint8Array) => {
  const { name, occurrence } = await problemOf(async () => read(body));
  return [name, occurrence.errors?.map(({ code }) => code)];
};

it('gives integers that are too large for a number as text, and all other numbers as numbers', () => {
  const ids = '{"id":9007199254740993,"ids":[9007199254740992,-9007199254740993],"safe":9007199254740991';
  expect(JSON.stringify(readBody({}, Buffer.from(`${ids},"x":1e30,"__proto__":1}`)))).toBe(
    '{"id":"9007199254740993","ids":["9007199254740992","-9007199254740993"],"safe":9007199254740991,"x":1e+30,"__proto__":1}',
  );
});

describe('the body of a form', () => {
  it.each([FORM_TYPE, 'Application/X-WWW-Form-Urlencoded; charset=UTF-8', ` ${FORM_TYPE} ;a=b`])(
    'with the content type %j is the JSON of its only field, payload',
    (type) => {
      expect(read('payload=%7B%22a%22%3A%22b+%26+%C3%BC%22%7D', type)).toEqual({ a: 'b & ü' });
      expect(read('&payload={"id":9007199254740993}&', type)).toEqual({ id: '9007199254740993' });
    },
  );

  it('is JSON if the content type says so, or is missing', () => {
    expect(read('{"payload":"a=b"}', 'application/json')).toEqual({ payload: 'a=b' });
    expect(readBody({}, Buffer.from('[1]'))).toEqual([1]);
  });

  it.each([
    ['token=abc&text=hi+there%21', { token: 'abc', text: 'hi there!' }],
    ['payload={}&token=abc', { payload: '{}', token: 'abc' }],
    ['a&b=&c==&=d', { a: '', b: '', c: '=', '': 'd' }],
    ['ü=%C3%BC', { ü: 'ü' }],
    ['', {}],
  ])('%j is the object of its fields', (body, fields) => {
    expect(read(body)).toEqual(fields);
  });

  it('has every field as it was encoded', () => {
    const field = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.uniqueArray(field, { selector: ([name]) => name }), (fields) => {
        const others: [string, string][] = [['token', ''], ...fields.filter(([name]) => name !== 'token')];
        expect(Object.entries(Object(read(encoded(others)))).sort()).toEqual([...others].sort());
      }),
    );
    expect(Object.keys(Object(read('__proto__=1&constructor=2')))).toEqual(['__proto__', 'constructor']);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['a field twice', 'a=1&%61=2', 'duplicate-key'],
    ['payload twice', 'payload={}&payload={}', 'duplicate-key'],
    ['half an escape', 'a=%4', 'encoding'],
    ['an escape that is no hex', 'payload=%zz', 'encoding'],
    ['an escape that is no UTF-8', 'a=%ff', 'encoding'],
    ['half of a surrogate pair', 'a=%ED%A0%80', 'encoding'],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0x3d, 0xff]), 'encoding'],
    ['too many fields', Array.from({ length: MAX_FORM_FIELDS + 1 }, (_, n) => `a${n}=`).join('&'), 'too-many'],
    ['a payload that is no JSON', 'payload=hello', 'syntax'],
    ['an empty payload', 'payload=', 'syntax'],
    ['a key twice in its payload', 'payload={"a":1,"a":2}', 'duplicate-key'],
    ['a payload that is nested too deep', `payload=${'['.repeat(65)}${']'.repeat(65)}`, 'too-deep'],
  ])('with %s cannot be read', async (_, body, code) => {
    expect(await faultOf(body)).toEqual(['malformed-json', [code]]);
  });

  it('may have as many fields as are allowed', () => {
    const body = Array.from({ length: MAX_FORM_FIELDS }, (_, n) => `a${n}=`).join('&');
    expect(Object.keys(Object(read(body)))).toHaveLength(MAX_FORM_FIELDS);
  });
});

it('a delivery of a form runs, and becomes a dead letter if the form is invalid', async () => {
  const world = new DeliveryWorld();
  const headers = { 'content-type': FORM_TYPE };
  const good = encoded([['payload', JSON.stringify(creation({ customId: 'page' }))]]);
  for (const body of [good, 'payload=%']) await world.inbox.accept(world.message(body, { headers }));
  expect(await world.run()).toMatchObject({ done: 1, dead: 1 });
  expect(await world.made()).toEqual(['page']);
  expect(await world.dead()).toMatchObject([
    { failure: { problem: 'malformed-json', errors: [{ code: 'encoding' }] } },
  ]);
});
