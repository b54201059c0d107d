import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from '../../../lib/contract/nearest.ts';

const FIELDS = ['customId', 'sourceLanguageId', 'sourceLanguageCode', 'targetLanguages', 'segments', 'notes', 'name'];

/** Returns the edit distance by its definition, which is slow. */
function plainDistance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const [a, b, x, y] = [one.at(-1), one.at(-2), other.at(-1), other.at(-2)];
  const ways = [
    plainDistance(one.slice(0, -1), other) + 1,
    plainDistance(one, other.slice(0, -1)) + 1,
    plainDistance(one.slice(0, -1), other.slice(0, -1)) + (a === x ? 0 : 1),
  ];
  if (one.length > 1 && other.length > 1 && a === y && b === x) {
    ways.push(plainDistance(one.slice(0, -2), other.slice(0, -2)) + 1);
  }
  return Math.min(...ways);
}

describe('editDistance', () => {
  it('follows the definition, and is infinite beyond the limit', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, word, fc.nat({ max: 6 }), (one, other, limit) => {
        const distance = plainDistance(one, other);
        expect(editDistance(one, other)).toBe(distance);
        expect(editDistance(one, other, limit)).toBe(distance > limit ? Number.POSITIVE_INFINITY : distance);
      }),
    );
  });
});

describe('nearest', () => {
  it.each([
    ['customid', 'customId'],
    ['custom_id', 'customId'],
    ['cutsomId', 'customId'],
    ['targetLanguage', 'targetLanguages'],
    ['TARGETLANGAUGES', 'targetLanguages'],
    ['source_language_code', 'sourceLanguageCode'],
    ['naem', 'name'],
    ['note', 'notes'],
  ])('for %s begins with %s', (name, known) => {
    expect(nearest(name, FIELDS)[0]).toBe(known);
  });

  it('sorts by distance, then by a common beginning', () => {
    expect(nearest('sourceLanguageI', FIELDS)).toEqual(['sourceLanguageId', 'sourceLanguageCode']);
    expect(nearest('de', ['ae', 'da', 'de'])).toEqual(['de', 'da', 'ae']);
  });

  it('returns nothing if nothing is close', () => {
    for (const name of ['password', '']) expect(nearest(name, FIELDS)).toEqual([]);
    expect([nearest('x', ['y']), nearest('name', [])]).toEqual([[], []]);
  });

  it('returns at most as many as requested, and none twice', () => {
    const known = ['aab', 'aac', 'aad', 'aae', 'aab'];
    expect(nearest('aaa', known)).toEqual(['aab', 'aac', 'aad']);
    expect([9, 1, 0, -1].map((most) => nearest('aaa', known, most).length)).toEqual([4, 1, 0, 0]);
  });

  it('ignores texts that are longer than any name', () => {
    const long = 'customId'.repeat(131_072);
    expect(nearest(long, [long, ...FIELDS])).toEqual([]);
    expect(nearest('a'.repeat(65), ['a'.repeat(64)])).toEqual([]);
    expect(nearest('a'.repeat(64), ['a'.repeat(65), 'a'.repeat(64)])).toEqual(['a'.repeat(64)]);
  });
});
