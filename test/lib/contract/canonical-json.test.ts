import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, canonicalPieces } from '../../../lib/contract/canonical-json.ts';

describe('canonical JSON', () => {
  it('is the same for objects whose keys have another order', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: undefined })).toBe('{"b":[{"c":2,"d":1}]}');
  });

  it('is the same in pieces', () => {
    const values = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.option(fc.jsonValue(), { nil: undefined })));
    fc.assert(
      fc.property(values, (value) => {
        expect([...canonicalPieces(value)].join('')).toBe(canonicalJson(value));
      }),
      { examples: [[{ '': null, 10: 1, 2: { b: 1, 0: 2 } }]] },
    );
  });

  it('has a piece for each entry of a list in a field', () => {
    expect([...canonicalPieces({ list: [1, { b: 1, a: [] }, 3] })]).toEqual([
      '{"list":',
      '[1',
      ',{"a":[],"b":1}',
      ',3',
      ']',
      '}',
    ]);
  });
});
