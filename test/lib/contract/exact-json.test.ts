import { expect, it } from 'vitest';
import { hasInexactNumbers, parseExact } from '../../../lib/contract/exact-json.ts';

const INEXACT = [
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '0.12345678901234567',
  '123456789.123456789',
  '1e400',
  '-1E-400',
  '1.5e+308',
  `1${'0'.repeat(400)}`,
];
const EXACT = [
  '0',
  '-1',
  '1.5',
  '9007199254740991',
  '-9007199254740991',
  '1e21',
  '0.1',
  '0.000001',
  '1.10',
  '228899643141235',
];

it.each(INEXACT)('keeps the text of %s', (number) => {
  for (const text of [`{"a":${number}}`, `[1,${number}]`, `[${number}]`, `{"a":{"b":[0,${number},"${number}"]}}`]) {
    expect(JSON.stringify(parseExact(text))).toBe(text);
    expect(hasInexactNumbers(parseExact(text))).toBe(true);
  }
});

it.each(EXACT)('reads %s as a number', (number) => {
  // The text beside the number makes the reader check each number.
  const read = parseExact(`[${number}, ${INEXACT[0]}, {"a": ${number}}]`);
  expect(read).toMatchObject([Number(number), expect.anything(), { a: Number(number) }]);
  const alone = parseExact(`{"a":${number}}`);
  expect(alone).toEqual({ a: Number(number) });
  expect(hasInexactNumbers(alone)).toBe(false);
});

it('keeps digits in texts, and fields that name a prototype', () => {
  const text = `{"__proto__":{"a":"${INEXACT[2]}"},"b":[${INEXACT[2]},true,null,"2026-11-20T12:00:00.1234567Z"]}`;
  expect(JSON.stringify(parseExact(text))).toBe(text);
});
