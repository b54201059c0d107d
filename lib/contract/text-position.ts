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
  const pairEnds = Array.from(text.matchAll(SURROGATE_PAIR), ({ index }) => index + 2);
  return (index) => {
    const line = countUpTo(lineStarts, index);
    const lineStart = lineStarts[line - 1] ?? 0;
    const pairs = countUpTo(pairEnds, index) - countUpTo(pairEnds, lineStart);
    return { line, column: index - lineStart - pairs + 1 };
  };
}

/** Returns how many of some ascending numbers are not above a limit. */
export function countUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
