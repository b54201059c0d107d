/** The longest name that is compared, in characters. The limit keeps a client from causing slow comparisons. */
const MAX_LENGTH = 64;

/**
 * Returns the edit distance of two texts: the number of letters to insert, remove, replace or swap with a neighbour, to
 * turn one text into the other (restricted Damerau-Levenshtein).
 * @returns `Infinity` if the distance exceeds the limit
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
    // No later row can have a smaller value, so stop. A swap reaches back two rows, but costs at least as much as the
    // skipped cell of this row.
    if (least > limit) return Number.POSITIVE_INFINITY;
    beforeLast = last;
    last = current;
  }
  const distance = at(last, other.length);
  return distance > limit ? Number.POSITIVE_INFINITY : distance;
}

/**
 * Suggests known names for a misspelt name, the nearest first. Case is ignored. At most a third of the letters may
 * differ; in a short name, one letter may. Of equally near names, those with a longer common beginning come first.
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
    // Two short names with every letter replaced have nothing in common.
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
