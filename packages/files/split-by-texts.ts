/**
 * Divides a content at texts that it holds: the leftmost first, and the longest of those that begin at one place. The
 * parts, joined, are the content. It takes time proportional to the content and all texts (Aho and Corasick, 1975).
 * @param texts none of them empty
 */
export function splitByTexts(content: string, texts: readonly string[]): string[] {
  const longestFrom = finderOf(texts);
  // Backwards, so that the longest text that ends at a place is the longest that begins there.
  const lengths = new Uint32Array(content.length);
  for (let at = content.length - 1; at >= 0; at--) lengths[at] = longestFrom(content.charCodeAt(at));
  const parts: string[] = [];
  let [start, at] = [0, 0];
  while (at < content.length) {
    const length = lengths[at] ?? 0;
    if (length === 0) at++;
    else {
      if (start < at) parts.push(content.slice(start, at));
      parts.push(content.slice(at, at + length));
      at += length;
      start = at;
    }
  }
  if (start < at) parts.push(content.slice(start));
  return parts;
}

const UNITS = 0x1_0000;

/**
 * Returns an automaton that reads a content backwards. Its states are numbers, and stand for the ends of texts.
 * @returns a function that reads the next unit, and returns the length of the longest text that begins with it, or 0
 */
function finderOf(texts: readonly string[]): (unit: number) => number {
  const steps = new Map<number, number>();
  /** The state of the longest end that is shorter, and the length of the longest text, for each state. */
  const [shorter, longest] = [[0], [0]];
  const next = (from: number, unit: number): number => {
    for (let state = from; ; state = shorter[state] ?? 0) {
      const known = steps.get(state * UNITS + unit);
      if (known !== undefined || state === 0) return known ?? 0;
    }
  };
  let open = texts.map((text) => ({ text, state: 0 }));
  // Shorter ends come first, because longer ones fall back to them.
  for (let length = 1; open.length > 0; length++) {
    for (const each of open) {
      const unit = each.text.charCodeAt(each.text.length - length);
      let state = steps.get(each.state * UNITS + unit);
      if (state === undefined) {
        const fallback = each.state === 0 ? 0 : next(shorter[each.state] ?? 0, unit);
        state = shorter.push(fallback) - 1;
        longest.push(longest[fallback] ?? 0);
        steps.set(each.state * UNITS + unit, state);
      }
      each.state = state;
      if (length === each.text.length) longest[state] = length;
    }
    open = open.filter(({ text }) => text.length > length);
  }
  let state = 0;
  return (unit) => {
    state = next(state, unit);
    return longest[state] ?? 0;
  };
}
