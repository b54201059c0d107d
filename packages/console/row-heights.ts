/**
 * The heights of the rows of a long list, in CSS pixels. A row that was never measured has the estimated height. Every
 * operation takes a time that grows with the logarithm of the number of rows.
 */
export class RowHeights {
  readonly #heights: Float64Array;
  /** A Fenwick tree of the heights. */
  readonly #sums: Float64Array;

  constructor(rows: number, estimate: number) {
    this.#heights = new Float64Array(rows).fill(estimate);
    this.#sums = Float64Array.from({ length: rows + 1 }, (_, node) => (node & -node) * estimate);
  }

  /** Records the measured height of a row. */
  set(index: number, height: number): void {
    const added = height - (this.#heights[index] ?? height);
    if (added === 0) return;
    this.#heights[index] = height;
    for (let node = index + 1; node < this.#sums.length; node += node & -node) {
      this.#sums[node] = (this.#sums[node] ?? 0) + added;
    }
  }

  /** Returns the height of all rows before a row. */
  offsetOf(index: number): number {
    let sum = 0;
    for (let node = index; node > 0; node -= node & -node) sum += this.#sums[node] ?? 0;
    return sum;
  }

  /** Returns the row at a distance from the top of the list: the first one above the list, the last one below it. */
  indexAt(offset: number): number {
    const rows = this.#heights.length;
    let index = 0;
    let rest = offset;
    for (let step = 2 ** Math.floor(Math.log2(rows)); step >= 1; step /= 2) {
      const sum = this.#sums[index + step];
      if (sum === undefined || sum > rest) continue;
      rest -= sum;
      index += step;
    }
    return Math.min(index, rows - 1);
  }
}
