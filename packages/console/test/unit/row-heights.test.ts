import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowHeights } from '../../row-heights.ts';

const ESTIMATE = 10;
const ROWS = 40;
const measured = fc.array(fc.tuple(fc.nat(ROWS - 1), fc.integer({ min: 1, max: 500 })), { maxLength: 80 });

/** Returns a list with measured rows, and the plain heights that it should have. */
function listWith(rows: readonly (readonly [index: number, height: number])[]) {
  const list = new RowHeights(ROWS, ESTIMATE);
  const plain = Array<number>(ROWS).fill(ESTIMATE);
  for (const [index, height] of rows) {
    list.set(index, height);
    plain[index] = height;
  }
  const offsets = plain.map((_, index) => plain.slice(0, index).reduce((sum, height) => sum + height, 0));
  return { list, plain, offsets };
}

it('knows the height of all rows before a row', () => {
  fc.assert(
    fc.property(measured, (rows) => {
      const { list, offsets } = listWith(rows);
      expect(offsets.map((_, index) => list.offsetOf(index))).toEqual(offsets);
    }),
  );
});

it('finds the row at each place of the list, and the nearest one outside', () => {
  fc.assert(
    fc.property(measured, fc.integer({ min: -100, max: ROWS * 500 }), (rows, place) => {
      const { list, offsets } = listWith(rows);
      const expected = offsets.findLastIndex((offset) => offset <= Math.max(place, 0));
      expect(list.indexAt(place)).toBe(expected);
    }),
  );
});
