import { MarkdownTooDeep, type ParseBlocks } from './markdown-blocks.ts';

/** The longest beginning of a line that each line of a translation gets, in characters. */
const MAX_PREFIX = 1_000;
/** A line break in a paragraph, with the indentation and the marks of block quotes on the next line. */
const CONTINUATION = /\n[ \t]*(?:>[ \t]*)*/;
export const LINE_BREAKS = new RegExp(`(?<![ \\t])[ \\t]*${CONTINUATION.source}`, 'g');

/** A line break in Markdown is a space, unless a backslash or two spaces stand before it. */
export function breakOf(found: string, index: number, text: string): string {
  if (text.charAt(index - 1) === '\\') return '\n';
  return found.startsWith('  ') ? '  \n' : ' ';
}

/**
 * Writes a translation as a paragraph with the marks of its source before each line, and escapes a beginning that would
 * start a list, a heading or alike.
 * @returns `undefined` if it cannot be one paragraph
 */
export function writeParagraph(translation: string, source: string, parse: ParseBlocks): string | undefined {
  const found = CONTINUATION.exec(source)?.[0] ?? '\n';
  // A line without the marks of its block continues a paragraph too.
  const prefix = found.length > MAX_PREFIX ? '\n' : found;
  const lines = translation
    .trim()
    .split(/(?<=\\| {2})\n/)
    .map(joinLines);
  const escaped = [(line: string) => line, escapeStart].map((change) => lines.map(change).join('\n'));
  return escaped.find((text) => isParagraph(text, parse))?.replaceAll('\n', prefix);
}

/** Writes a translation as a line. */
export function writeLine(translation: string): string {
  return joinLines(translation.trim());
}

function joinLines(text: string): string {
  return text.replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));
}

function escapeStart(line: string): string {
  return line.replace(/^(\d+)(?=[.)])|^(?=[^\p{L}\p{N}\s])/u, '$1\\');
}

function isParagraph(text: string, parse: ParseBlocks): boolean {
  try {
    const { firstChild: first } = parse(text);
    return first?.name === 'Paragraph' && first.from === 0 && first.to === text.length;
  } catch (error) {
    if (error instanceof MarkdownTooDeep) return false;
    throw error;
  }
}
