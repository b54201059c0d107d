/**
 * Returns a function that finds something in a text from an index on, for ascending indexes. It searches no part of the
 * text twice, and returns infinity if there is nothing more.
 * @param search returns an index, or -1
 */
export function searchOnce(search: (from: number) => number): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      const next = search(from);
      found = next < 0 ? Number.POSITIVE_INFINITY : next;
    }
    return found;
  };
}
