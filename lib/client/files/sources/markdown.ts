import { positionsIn } from '../../../contract/text-position.ts';
import { decodeFile, fileError } from '../decode.ts';
import { htmlSpans } from './html.ts';
import { type Block, MarkdownTooDeep, parseBlocks } from './markdown-blocks.ts';
import { hasProse } from './markdown-prose.ts';
import { type Span, spanCodec } from './span-file.ts';

/**
 * What the parser would take for texts: the settings at the top of a page between two lines of hyphens, the lines that
 * begin or end a container, such as `::: tip`, and the kind of an alert, such as `[!NOTE]`.
 */
const NO_TEXT = /(?<!.)^---[ \t]*$.*?^(?:---|\.\.\.)[ \t]*$|^[ \t]*:{3,}[^\r\n]*$|\[!\w+\](?=[ \t]*$)/gms;

/**
 * The texts of a Markdown file (CommonMark with GitHub's tables): paragraphs, headings and cells with their inline
 * markup, and the texts of HTML blocks. Code and front matter are no texts.
 */
export const markdown = spanCodec((bytes) => {
  const file = decodeFile(bytes);
  const text = file.text.replace(NO_TEXT, (part) => part.replace(/[^\r\n]/g, ' '));
  try {
    return { file, spans: [...spansIn(parseBlocks(text), text)] };
  } catch (error) {
    if (error instanceof MarkdownTooDeep) {
      throw fileError('too-large', error.message, positionsIn(text)(error.index).line);
    }
    throw error;
  }
});

function* spansIn(block: Block, text: string): Generator<Span> {
  for (const child of childrenOf(block)) {
    if (child.name === 'HTMLBlock') yield* htmlSpans(text.slice(child.from, child.to), child.from);
    else if (isBlockOfText(child)) yield* spanOf(child, text);
    else yield* spansIn(child, text);
  }
}

function isBlockOfText({ name }: Block): boolean {
  return /^(?:Paragraph|Task|TableCell|(?:ATX|Setext)Heading\d)$/.test(name);
}

/** The marks of a block that are no part of its text. */
const BLOCK_MARKS = ['HeaderMark', 'TaskMarker'];

function spanOf(block: Block, text: string): Span[] {
  let [from, to] = [block.from, block.to];
  // The mark below a heading has a line of its own, which may begin with marks of block quotes.
  const isSetext = block.name.startsWith('Setext');
  for (const mark of childrenOf(block).filter(({ name }) => BLOCK_MARKS.includes(name))) {
    const before = text.slice(from, mark.from);
    const lineEnd = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'));
    if (before.trim() === '') from = mark.to;
    else to = Math.min(to, isSetext ? from + lineEnd : mark.from);
  }
  const raw = text.slice(from, to);
  const start = from + raw.length - raw.trimStart().length;
  const trimmed = raw.trim();
  if (!hasProse(trimmed)) return [];
  const isParagraph = block.name === 'Paragraph' || block.name === 'Task';
  const found = CONTINUATION.exec(trimmed)?.[0] ?? '\n';
  // A line without the marks of its block continues a paragraph too.
  const prefix = found.length > MAX_PREFIX ? '\n' : found;
  const write = (translation: string) => {
    if (isParagraph) return paragraphOf(translation, prefix);
    const line = joinLines(translation.trim());
    return block.name === 'TableCell' ? line.replace(/(?<!\\)\|/g, '\\|') : line;
  };
  return [{ start, end: start + trimmed.length, content: trimmed.replace(BREAKS, breakOf), write }];
}

function childrenOf(block: Block): Block[] {
  const children: Block[] = [];
  for (let child = block.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

/** The longest beginning of a line that each line of a translation gets, in characters. */
const MAX_PREFIX = 1_000;
/** A line break in a paragraph, with the indentation and the marks of block quotes on the next line. */
const CONTINUATION = /(?:\r\n?|\n)[ \t]*(?:>[ \t]*)*/;
const BREAKS = new RegExp(`(?<![ \\t])[ \\t]*${CONTINUATION.source}`, 'g');

/** A line break in Markdown is a space, unless a backslash or two spaces stand before it. */
function breakOf(found: string, index: number, text: string): string {
  if (text.charAt(index - 1) === '\\') return '\n';
  return found.startsWith('  ') ? '  \n' : ' ';
}

/** Writes a translation as a paragraph, and escapes a beginning that would start a list, a heading or alike. */
function paragraphOf(translation: string, prefix: string): string | undefined {
  const lines = translation
    .trim()
    .split(/(?<=\\| {2})\n/)
    .map(joinLines);
  const escaped = [(line: string) => line, escapeStart].map((change) => lines.map(change).join('\n'));
  return escaped.find(isParagraph)?.replaceAll('\n', prefix);
}

function joinLines(text: string): string {
  return text.replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));
}

function escapeStart(line: string): string {
  return line.replace(/^(\d+)(?=[.)])|^(?=[^\p{L}\p{N}\s])/u, '$1\\');
}

function isParagraph(text: string): boolean {
  try {
    const { firstChild: first } = parseBlocks(text);
    return first?.name === 'Paragraph' && first.from === 0 && first.to === text.length;
  } catch (error) {
    if (error instanceof MarkdownTooDeep) return false;
    throw error;
  }
}
