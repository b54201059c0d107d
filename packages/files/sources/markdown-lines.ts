import type { BlockContext, Element, Line } from '@lezer/markdown';

/** Returns what stands in a line after the marks of the blocks around it. */
export function restOf(line: Line): string {
  return line.text.slice(line.pos);
}

/** How lines of a program go on after their brackets are closed, or after a blank line. */
const GOES_ON = {
  /** Only with open brackets; after a blank line only if a line is indented, or closes a bracket. */
  open: { isBlock: false, afterBlank: /^(?:[ \t]|[)\]}>/])/ },
  /** To the next blank line in any case. */
  block: { isBlock: true, afterBlank: /^(?:[ \t]|[)\]}>/])/ },
  anyLine: { isBlock: false, afterBlank: /^/ },
} as const;

/** Whether a line needs another one. In a text of a program, such as a template, it may be any line. */
export type LineState = boolean | 'inText';

/**
 * Takes lines that are no text.
 * @param read reads a line
 * @param marks gets the marks of block quotes before the lines after the first one, and before the line that follows
 * @returns the end of the last line
 */
export function takeLines(
  cx: BlockContext,
  line: Line,
  read: (text: string) => LineState,
  rule: keyof typeof GOES_ON = 'open',
  marks: Element[] = [],
): number {
  const { isBlock, afterBlank } = GOES_ON[rule];
  const base = line.baseIndent;
  let end = 0;
  let isAfterBlank = false;
  for (;;) {
    const isOpen = read(restOf(line));
    if (line.next >= 0) end = cx.lineStart + line.text.length;
    if (!cx.nextLine()) return end;
    for (const mark of line.markers) marks.push(mark);
    const isBlank = line.next < 0;
    if (!isOpen && (isBlank || !isBlock || isAfterBlank)) return end;
    const mayGoOn = isOpen === 'inText' || !isAfterBlank || afterBlank.test(line.text);
    if (!isBlank && (line.baseIndent < base || !mayGoOn)) return end;
    isAfterBlank ||= isBlank;
  }
}
