import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, fingerprintSteps } from '../../../lib/idempotency/identity.ts';

/** JSON values, also with names of object members such as `__proto__`. */
const json = fc
  .jsonValue({ maxDepth: 4, noUnicodeString: false })
  .chain((value) => fc.constantFrom(value, { a: value, b: 1 }, [value, value], JSON.parse('{"__proto__":{"x":1}}')));

/** Returns the same value with the keys of every object reversed. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}

const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a fingerprint', () => {
  it('is the SHA-256 of the JSON with sorted keys', () => {
    expect(fingerprintOf({ b: [1, null, 'ä'], a: { d: true, c: {} } })).toBe(
      createHash('sha256').update('{"a":{"c":{},"d":true},"b":[1,null,"ä"]}').digest('base64url'),
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(fingerprintOf(reversed(value))).toBe(fingerprintOf(value));
        expect(fingerprintOf(parsed(value))).toBe(fingerprintOf(value));
      }),
    );
  });

  it('of a large content is made in steps', () => {
    const value = { segments: Array.from({ length: 10_000 }, (_, id) => ({ id, content: 'x'.repeat(30) })) };
    const text = JSON.stringify({ segments: value.segments.map(({ id, content }) => ({ content, id })) });
    const steps = fingerprintSteps(value);
    let count = 1;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(count).toBe(1 + Math.floor(text.length / 131_072));
    expect(step.value).toBe(createHash('sha256').update(text).digest('base64url'));
  });

  it('differs for different values', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        const isEqual = isDeepStrictEqual(parsed(one), parsed(other));
        expect(fingerprintOf(one) === fingerprintOf(other)).toBe(isEqual);
      }),
    );
  });

  it('ignores fields without a value', () => {
    expect(fingerprintOf({ a: 1, b: undefined })).toBe(fingerprintOf({ a: 1 }));
  });
});
