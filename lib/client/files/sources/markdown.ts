import { GFM, parser } from '@lezer/markdown';
import { decodeFile } from '../decode.ts';
import { htmlSpans } from './html.ts';
import { type Span, spanCodec } from './span-file.ts';

const MARKDOWN = parser.configure(GFM);
type Node = ReturnType<typeof MARKDOWN.parse>['topNode'];

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
  const spans: Span[] = [];
  MARKDOWN.parse(text).iterate({
    enter({ node }) {
      if (node.name === 'HTMLBlock') spans.push(...htmlSpans(text.slice(node.from, node.to), node.from));
      else if (isBlockOfText(node)) spans.push(...spanOf(node, text));
      else return true;
      return false;
    },
  });
  return { file, spans };
});

function isBlockOfText({ name }: Node): boolean {
  return /^(?:Paragraph|Task|TableCell|(?:ATX|Setext)Heading\d)$/.test(name);
}

/** The marks of a block that are no part of its text. */
const BLOCK_MARKS = ['HeaderMark', 'TaskMarker'];
/** Inline nodes that people do not read, or that must stay as they are. */
const UNREAD = /^(?:InlineCode|URL|LinkLabel|HTMLTag|Comment|ProcessingInstruction|Autolink|LinkTitle)$/;

function spanOf(block: Node, text: string): Span[] {
  let [from, to] = [block.from, block.to];
  // The mark below a heading has a line of its own, which may begin with marks of block quotes.
  const isSetext = block.name.startsWith('Setext');
  for (const mark of childrenOf(block).filter(({ name }) => BLOCK_MARKS.includes(name))) {
    if (text.slice(from, mark.from).trim() === '') from = mark.to;
    else
      to = Math.min(
        to,
        isSetext ? Math.max(text.lastIndexOf('\n', mark.from), text.lastIndexOf('\r', mark.from)) : mark.from,
      );
  }
  const raw = text.slice(from, to);
  const start = from + raw.length - raw.trimStart().length;
  const trimmed = raw.trim();
  if (!/\p{L}/u.test(readText(block, text))) return [];
  const isParagraph = block.name === 'Paragraph' || block.name === 'Task';
  const prefix = CONTINUATION.exec(trimmed)?.[0] ?? '\n';
  const write = (translation: string) => {
    if (isParagraph) return paragraphOf(translation, prefix);
    const line = translation.trim().replace(/\s*\n\s*/g, ' ');
    return block.name === 'TableCell' ? line.replace(/(?<!\\)\|/g, '\\|') : line;
  };
  return [{ start, end: start + trimmed.length, content: trimmed.replace(BREAKS, breakOf), write }];
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

/** Returns the text of a block that people read. */
function readText(node: Node, text: string): string {
  if (UNREAD.test(node.name)) return '';
  let [read, at] = ['', node.from];
  for (const child of childrenOf(node)) {
    read += text.slice(at, child.from) + readText(child, text);
    at = child.to;
  }
  return read + text.slice(at, node.to);
}

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
    .map((line) => line.replace(/\s*\n\s*/g, ' '));
  const escaped = [(line: string) => line, escapeStart].map((change) => lines.map(change).join('\n'));
  return escaped.find(isParagraph)?.replaceAll('\n', prefix);
}

function escapeStart(line: string): string {
  return line.replace(/^(\d+)(?=[.)])|^(?=[^\p{L}\p{N}\s])/u, '$1\\');
}

function isParagraph(text: string): boolean {
  const { firstChild: first } = MARKDOWN.parse(text).topNode;
  return first?.name === 'Paragraph' && first.from === 0 && first.to === text.length;
}
