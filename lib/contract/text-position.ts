/** A position in a text. Lines and columns start at 1, and columns count characters. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Returns the position of an index in a text. An index inside a surrogate pair counts as the pair's. */
export function positionOf(text: string, index: number): TextPosition {
  const before = text.slice(0, index);
  const lines = before.split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Returns a function like `positionOf` for many indexes of one text. It also takes a carriage return as a line break. */
export function positionsIn(text: string): (index: number) => TextPosition {
  const lineStarts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)];
  return (index) => {
    let [low, high] = [0, lineStarts.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((lineStarts[middle] ?? 0) <= index) low = middle;
      else high = middle;
    }
    const before = text.slice(lineStarts[low], index);
    return { line: low + 1, column: before.length - (before.match(SURROGATE_PAIR)?.length ?? 0) + 1 };
  };
}
