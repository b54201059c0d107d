/** A part of a text with markup. */
interface Part {
  readonly kind: string;
  readonly raw: string;
}

/** Tells the parts of a text apart. */
interface PartRules<P> {
  /** Whether a part is a tag, a comment or white space. */
  readonly isBare: (part: P) => boolean;
  /** Whether a part has an attribute that people read. */
  readonly isRead: (part: P) => boolean;
  /** Whether tags around a text belong to it, unless people read an attribute of them. */
  readonly keepsTags: boolean;
}

/** A range of parts: the indexes of the first one, and of the one after the last. */
export type Range = readonly [from: number, to: number];

/**
 * Finds the texts among parts, in time proportional to their number.
 * @param partners the pairs of tags
 */
export class TextRanges<P extends Part> {
  readonly #parts: readonly P[];
  readonly #partners: ReadonlyMap<P, P>;
  readonly #rules: PartRules<P>;
  readonly #places: ReadonlyMap<P, number>;
  /** How many parts that are not bare, and that are read, come before each part. */
  readonly #texts: readonly number[];
  readonly #read: readonly number[];

  constructor(parts: readonly P[], partners: ReadonlyMap<P, P>, rules: PartRules<P>) {
    this.#parts = parts;
    this.#partners = partners;
    this.#rules = rules;
    this.#places = new Map(parts.map((part, index) => [part, index]));
    this.#texts = countsBefore(parts, (part) => !rules.isBare(part));
    this.#read = countsBefore(parts, rules.isRead);
  }

  /**
   * Returns the range of a text. Outside are tags around all of it, single tags and comments at its edges, and elements
   * there that have no text but an attribute that people read.
   */
  inner(): Range {
    return this.#trimmed([0, this.#parts.length]).inner;
  }

  /** Returns the range of a text, and its core: without any tags around it. */
  #trimmed([start, end]: Range): { readonly inner: Range; readonly core: Range } {
    let [from, to] = [start, end];
    let inner: Range = [from, to];
    for (;;) {
      if (from >= to) return { inner, core: [from, to] };
      const [first, last] = [this.#parts[from], this.#parts[to - 1]];
      let next: Range;
      if (first && last && to - from > 1 && this.#partners.get(first) === last) next = [from + 1, to - 1];
      else {
        const after = this.#endOfEdge(from, 1);
        next = after === from ? [from, this.#endOfEdge(to - 1, -1) + 1] : [after, to];
      }
      if (next[0] === from && next[1] === to) return { inner, core: next };
      const isRead = isAny(this.#read, from, next[0]) || isAny(this.#read, next[1], to);
      [from, to] = next;
      if (isRead || !this.#rules.keepsTags) inner = next;
    }
  }

  /** Returns the ranges of several texts: each is an element, if people read an attribute of one, and no text is around. */
  all(): Range[] {
    const found: Range[] = [];
    const left: Range[] = [[0, this.#parts.length]];
    for (let range = left.pop(); range; range = left.pop()) {
      const { inner, core } = this.#trimmed(range);
      const elements = this.#elementsIn(core);
      if (!elements) found.push(inner);
      else for (const element of elements.toReversed()) if (isAny(this.#texts, ...element)) left.push(element);
    }
    return found;
  }

  /** Returns the elements of which a range consists, if it is divided into them. */
  #elementsIn([from, to]: Range): Range[] | undefined {
    const elements: Range[] = [];
    let isRead = false;
    for (let at = from; at < to; ) {
      const part = this.#parts[at];
      if (!part || !this.#rules.isBare(part)) return undefined;
      const partner = this.#partners.get(part);
      const end = (partner && this.#places.get(partner)) ?? at;
      isRead ||= isAny(this.#read, at, at + 1);
      elements.push([at, end + 1]);
      at = end + 1;
    }
    return isRead && elements.length > 1 ? elements : undefined;
  }

  /** Returns where the parts end that stand at an edge of a text, but do not belong to it. */
  #endOfEdge(index: number, step: 1 | -1): number {
    const part = this.#parts[index];
    if (!part) return index;
    const partner = this.#partners.get(part);
    if (partner === undefined) return this.#rules.isBare(part) ? index + step : index;
    const end = this.#places.get(partner) ?? index;
    const element: Range = [Math.min(index, end), Math.max(index, end) + 1];
    return !isAny(this.#texts, ...element) && isAny(this.#read, ...element) ? end + step : index;
  }
}

/** Returns how many parts of a kind come before each part, and before the end. */
function countsBefore<P>(parts: readonly P[], isCounted: (part: P) => boolean): number[] {
  const counts = [0];
  for (const part of parts) counts.push((counts.at(-1) ?? 0) + (isCounted(part) ? 1 : 0));
  return counts;
}

function isAny(counts: readonly number[], from: number, to: number): boolean {
  return (counts[to] ?? 0) > (counts[from] ?? 0);
}
