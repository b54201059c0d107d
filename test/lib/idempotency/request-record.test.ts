import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../lib/idempotency/request-record.ts';

/** JSON as a body has it, with names that objects have of themselves. */
const json = fc
  .jsonValue({ maxDepth: 4, noUnicodeString: false })
  .chain((value) => fc.constantFrom(value, { a: value, b: 1 }, [value, value], JSON.parse('{"__proto__":{"x":1}}')));

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}

const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a fingerprint', () => {
  it('is a SHA-256, and stays what it is from one version of Segue to the next', () => {
    expect(fingerprintOf({ b: [1, null, 'ä'], a: { d: true, c: {} } })).toBe(
      createHash('sha256').update('{"a":{"c":{},"d":true},"b":[1,null,"ä"]}').digest('base64url'),
    );
  });

  it('is the same whatever the order of keys, and however often it was parsed', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(fingerprintOf(reversed(value))).toBe(fingerprintOf(value));
        expect(fingerprintOf(parsed(value))).toBe(fingerprintOf(value));
      }),
    );
  });

  it('is another for another value', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        const isEqual = isDeepStrictEqual(parsed(one), parsed(other));
        expect(fingerprintOf(one) === fingerprintOf(other)).toBe(isEqual);
      }),
    );
  });

  it.each<[unknown, unknown]>([
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [{ a: [] }, { a: {} }],
    [
      [1, 2],
      [2, 1],
    ],
    [[[1], 2], [[1, 2]]],
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ],
    [{ a: { b: 1 } }, { a: 1, b: 1 }],
    ['', null],
    [JSON.parse('{"__proto__":{"a":1}}'), {}],
    ['é', 'e\u0301'],
    [
      { 1: 'a', 10: 'b', 2: 'c' },
      { 1: 'a', 10: 'c', 2: 'b' },
    ],
  ])('of %j is not that of %j', (one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
  });

  it('takes a field without a value for one that is not there', () => {
    expect(fingerprintOf({ a: 1, b: undefined })).toBe(fingerprintOf({ a: 1 }));
  });
});
