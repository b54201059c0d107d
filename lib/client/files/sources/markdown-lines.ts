import type { BlockContext, Line } from '@lezer/markdown';

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

/**
 * Takes lines that are no text.
 * @param read reads a line; returns whether it needs another one
 * @returns the end of the last line
 */
export function takeLines(
  cx: BlockContext,
  line: Line,
  read: (text: string) => boolean,
  rule: keyof typeof GOES_ON = 'open',
): number {
  const { isBlock, afterBlank } = GOES_ON[rule];
  const base = line.baseIndent;
  let end = 0;
  let isAfterBlank = false;
  for (;;) {
    const isOpen = read(restOf(line));
    if (line.next >= 0) end = cx.lineStart + line.text.length;
    if (!cx.nextLine()) return end;
    const isBlank = line.next < 0;
    if (!isOpen && (isBlank || !isBlock || isAfterBlank)) return end;
    if (!isBlank && (line.baseIndent < base || (isAfterBlank && !afterBlank.test(line.text)))) return end;
    isAfterBlank ||= isBlank;
  }
}
