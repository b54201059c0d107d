import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonBytes } from '../../../lib/service/encoded-text.ts';

const textOf = (fields: object) => jsonBytes(fields).toString();

test.each([0, 1, 49, 50, 51, 100, 101])('a list of %i entries is as JSON.stringify writes it', (length) => {
  const fields = { id: 1, list: Array.from({ length }, (_, index) => ({ index, text: 'é"\\\u2028😀' })), last: null };
  expect(textOf(fields)).toBe(JSON.stringify(fields));
});

test('any object is as JSON.stringify writes it', () => {
  const long = fc.tuple(fc.jsonValue(), fc.integer({ min: 51, max: 120 }));
  const member = fc.oneof(
    fc.jsonValue(),
    long.map(([entry, length]) => Array.from({ length }, () => entry)),
    fc.constant(undefined),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), member), (fields) => {
      expect(textOf(fields)).toBe(JSON.stringify(fields));
    }),
  );
});
