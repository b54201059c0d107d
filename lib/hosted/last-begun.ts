/**
 * Returns the index of the last range that begins at a number or before; -1 if none does.
 * @param ranges in ascending order of their beginnings
 */
export function lastBegun<T>(ranges: readonly T[], beginOf: (range: T) => number, wanted: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (range !== undefined && beginOf(range) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
