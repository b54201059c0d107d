/** Longer names are nobody's misspelling, and comparing them would let a caller choose what it costs. */
const MAX_LENGTH = 64;

/**
 * How many letters must be inserted, removed, replaced or swapped with their neighbour to make one string of the other
 * (Damerau-Levenshtein in its restricted form: no letter is touched twice). Gives `Infinity` for more than `limit`.
 */
export function editDistance(one: string, other: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(one.length - other.length) > limit) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
      least = Math.min(least, cost);
    }
    // Enough to stop at, though a swap reaches back two rows: it costs no less than the cell it skips in this one.
    if (least > limit) return Number.POSITIVE_INFINITY;
    beforeLast = last;
    last = current;
  }
  const distance = at(last, other.length);
  return distance > limit ? Number.POSITIVE_INFINITY : distance;
}

/**
 * The known names that `name` most likely stands for, nearest first, without regard to case. A third of its letters
 * may be wrong (in a short name, one); nothing close gives an empty list. Equally near names come in the order of
 * their common beginning with `name`, then in that of `known`.
 */
export function nearest(name: string, known: Iterable<string>, count = 3): string[] {
  if (name.length === 0 || name.length > MAX_LENGTH) return [];
  const wanted = name.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const found: { readonly candidate: string; readonly distance: number; readonly shared: number }[] = [];
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) > limit || candidate.length > MAX_LENGTH) continue;
    const lower = candidate.toLowerCase();
    const distance = editDistance(wanted, lower, limit);
    // With every letter replaced, two short names have nothing in common, however few the steps.
    if (distance > limit || distance >= Math.max(wanted.length, lower.length)) continue;
    found.push({ candidate, distance, shared: sharedBeginning(wanted, lower) });
  }
  found.sort((a, b) => a.distance - b.distance || b.shared - a.shared);
  return [...new Set(found.map(({ candidate }) => candidate))].slice(0, Math.max(0, count));
}

function sharedBeginning(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
