import { WEB_ADDRESS } from '../../../lib/content/web-address.ts';
import { positionsIn } from '../../../lib/contract/text-position.ts';
import { decodeFile, fileError } from '../decode.ts';
import { htmlSpans } from './html.ts';
import { maskBraces } from './javascript.ts';
import { withLineEnds, withLineFeeds } from './line-ends.ts';
import { type Block, MarkdownTooDeep, type ParseBlocks, parseFile } from './markdown-blocks.ts';
import { type Definitions, type InlinePart, inlineParts, labelKey } from './markdown-inline.ts';
import { breakOf, LINE_BREAKS, writeLine, writeParagraph } from './markdown-paragraph.ts';
import { textsInTags } from './markdown-tags.ts';
import { escapeMarkup, keepsMarkup, writeInline, writeMdx } from './markdown-writer.ts';
import { type Span, spanCodec } from './span-file.ts';

/** The settings at the top of a page: YAML between two lines of hyphens, or TOML between two of plus signs. */
const FRONT_MATTER = /(?<!.)(?:---[ \t]*$.*?^(?:---|\.\.\.)|\+\+\+[ \t]*$.*?^\+\+\+)[ \t]*$/ms;

/**
 * The texts of a Markdown file (CommonMark with GitHub's tables, and extensions): paragraphs, headings, cells and titles
 * with their inline markup, and the texts of HTML blocks. Code and front matter are no texts.
 */
export const markdown = spanCodec((bytes) => {
  const file = decodeFile(bytes);
  // The parser and the patterns know no other ends of lines.
  const text = withLineFeeds(file.text).replace(FRONT_MATTER, blank);
  try {
    const { document, parse, isMdx } = parseFile(text);
    const definitions = new Map(definitionsIn(document, text).toReversed());
    return { file, spans: withLineEnds(spansIn(document, { text, definitions, parse, isMdx }), file.text) };
  } catch (error) {
    if (error instanceof MarkdownTooDeep) {
      throw fileError('too-large', error.message, positionsIn(text)(error.index).line);
    }
    throw error;
  }
});

/** A file whose texts are looked for. */
interface Page {
  readonly text: string;
  readonly definitions: Definitions;
  readonly parse: ParseBlocks;
  readonly isMdx: boolean;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function definitionsIn(block: Block, text: string): (readonly [key: string, href: string])[] {
  return childrenOf(block).flatMap((child) => {
    if (child.name !== 'LinkReference') return definitionsIn(child, text);
    const [label, href] = ['LinkLabel', 'URL'].map((name) => child.getChild(name));
    if (!label || !href) return [];
    const address = text.slice(href.from, href.to).replace(/^<(.*)>$/, '$1');
    return [[labelKey(text.slice(label.from + 1, label.to - 1)), address] as const];
  });
}

function* spansIn(block: Block, page: Page): Generator<Span> {
  for (const child of childrenOf(block)) {
    const html = withoutQuoteMarks(child, page.text);
    const isQuoted = html !== page.text.slice(child.from, child.to);
    // A block that begins with a comment may go on with other HTML.
    if (/^(?:HTML|Comment|ProcessingInstruction)Block$/.test(child.name))
      yield* spansOfHtml(html, child.from, isQuoted);
    else if (child.name === 'JSX') yield* spansOfHtml(maskBraces(html), child.from, isQuoted);
    else if (isBlockOfText(child)) yield* spanOf(child, page);
    else yield* spansIn(child, page);
  }
}

/**
 * Returns the texts of a block of HTML. A translation gets no blank line unless its text has one, because it would end the
 * block.
 * @param isQuoted whether the block has marks of block quotes, so that a translation must not have other lines
 */
function* spansOfHtml(html: string, start: number, isQuoted: boolean): Generator<Span> {
  for (const span of htmlSpans(html, start)) {
    const write = (translation: string) => {
      const written = span.write(withLinesOf(span.content, translation));
      return isQuoted && typeof written === 'string' ? writeLine(written) : written;
    };
    yield { ...span, write };
  }
}

function withLinesOf(content: string, translation: string): string {
  if (/\n\s*\n/.test(content)) return translation;
  return content.includes('\n') ? translation.replace(/\n\s*\n/g, '\n') : writeLine(translation);
}

/** Returns the text of a block with spaces in place of the marks of block quotes in it. */
function withoutQuoteMarks(block: Block, text: string): string {
  let [html, end] = ['', block.from];
  for (const { name, from, to } of childrenOf(block)) {
    if (name !== 'QuoteMark') continue;
    html += text.slice(end, from) + ' '.repeat(to - from);
    end = to;
  }
  return html + text.slice(end, block.to);
}

function isBlockOfText({ name }: Block): boolean {
  return /^(?:Paragraph|Task|TableCell|Title|(?:ATX|Setext)Heading\d)$/.test(name);
}

/** A character that may begin a link, code or an expression, or escape the tag after it. */
const OPEN_MARKUP = /^(?:[^\\]|\\.)*?(?:[`[\]{]|\\$)/s;

/** The marks of a block that are no part of its text. */
const BLOCK_MARKS = ['HeaderMark', 'TaskMarker'];

function spanOf(block: Block, { text, definitions, parse, isMdx }: Page): Span[] {
  let [from, to] = [block.from, block.to];
  // The mark below a heading has a line of its own, which may begin with marks of block quotes.
  const isSetext = block.name.startsWith('Setext');
  for (const mark of childrenOf(block).filter(({ name }) => BLOCK_MARKS.includes(name))) {
    const before = text.slice(from, mark.from);
    if (before.trim() === '') from = mark.to;
    else to = Math.min(to, isSetext ? from + before.lastIndexOf('\n') : mark.from);
  }
  const raw = text.slice(from, to);
  const blockStart = from + raw.length - raw.trimStart().length;
  const whole = withoutAttributes(raw.trim());
  const partsOf = (markdown: string) => inlineParts(markdown.replace(LINE_BREAKS, breakOf), definitions);
  const { texts, attributes } = textsInTags(whole, definitions, hasProse);
  const inLine = (line: string) => {
    if (block.name === 'TableCell') return line.replace(/(?<!\\)\|/g, '\\|');
    return block.name === 'Title' && text[blockStart - 1] === '"' ? line.replaceAll('"', '&quot;') : line;
  };
  const attributeSpans = attributes.map((span): Span => {
    const write: Span['write'] = (translation) => {
      const written = span.write(writeLine(translation));
      return typeof written === 'string' ? inLine(written) : written;
    };
    return { ...span, start: blockStart + span.start, end: blockStart + span.end, write };
  });
  const isParagraph = block.name === 'Paragraph' || block.name === 'Task';
  const textSpans = texts.flatMap(([textStart, textEnd]): Span[] => {
    const marked = whole.slice(textStart, textEnd);
    const start = blockStart + textStart + marked.length - marked.trimStart().length;
    const trimmed = marked.trim();
    const parts = partsOf(trimmed);
    // Beside a tag of the block, what begins other markup could go on outside of the text.
    const isWhole = trimmed.length === whole.length;
    const isClosed = (written: string) =>
      isWhole || partsOf(written).every(({ kind, raw }) => kind !== 'text' || !OPEN_MARKUP.test(raw));
    const writeBlock = (translation: string) =>
      isParagraph ? writeParagraph(translation, trimmed, parse) : inLine(writeLine(translation));
    const write: Span['write'] = (translation) => {
      const ways = [(words: string) => words, escapeMarkup].flatMap((writeText) => {
        const inline = writeInline(translation, parts, writeText);
        return writeBlock(isMdx ? writeMdx(inlineParts(inline, definitions), parts) : inline) ?? [];
      });
      const kept = ways.find((written) => keepsMarkup(partsOf(written), parts) && isClosed(written));
      return kept ?? (ways.length > 0 ? { reason: 'markup-lost' } : undefined);
    };
    const content = parts.map(({ shown }) => shown).join('');
    return [{ start, end: start + trimmed.length, content, write, keepsMarkup: true }];
  });
  return [...attributeSpans, ...textSpans].toSorted((one, other) => one.start - other.start);
}

/** Removes the attributes of a block, such as `{#id}`. Those without a space before them belong to inline markup. */
function withoutAttributes(text: string): string {
  const at = text.endsWith('}') ? text.lastIndexOf('{') : -1;
  const isOfBlock = at > 0 && /\s/.test(text.charAt(at - 1)) && /^\{[ \t]*[:#.][^{}]*\}$/.test(text.slice(at));
  return isOfBlock ? text.slice(0, at).trimEnd() : text;
}

/** Whether parts have something to read, which is not only addresses and character references. */
function hasProse(parts: readonly InlinePart[]): boolean {
  const texts = parts.map(({ kind, shown }) => (kind === 'text' ? shown : ' '));
  return /\p{L}/u.test(texts.join('').replace(NO_PROSE, ' '));
}

/** Addresses without markup, and character references. */
const NO_PROSE = new RegExp(
  [
    WEB_ADDRESS,
    /(?<!\w)www\.[^\s<]+/,
    /(?<![\w.+-])(?:(?:mailto|xmpp):)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+/,
    /&(?:#\w{1,8}|\w{2,31});/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'giu',
);

function childrenOf(block: Block): Block[] {
  const children: Block[] = [];
  for (let child = block.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
