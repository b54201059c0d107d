import type { BlockContext, Element, MarkdownConfig } from '@lezer/markdown';
import { BracketReader } from './javascript.ts';
import { type LineState, restOf, takeLines } from './markdown-lines.ts';

/** The state of a reader of tags that have lines of their own. */
class TagReader {
  /** How many components are open. */
  depth = 0;
  #tag: 'open' | 'close' | undefined;
  #quote = '';
  #braces = new BracketReader({ hasLines: true });

  /** Whether a tag goes on in the next line. */
  get state(): LineState {
    return this.#braces.isInText ? 'inText' : this.#tag !== undefined;
  }

  readonly #start: RegExp;

  /** @param start matches the start of a tag, without its name */
  constructor(start: RegExp) {
    this.#start = start;
  }

  /** Begins with a line outside of tags. */
  start(): void {
    this.#tag = undefined;
    this.#quote = '';
    this.#braces = new BracketReader({ hasLines: true });
  }

  /** Reads a line. @returns whether nothing but tags stands there */
  read(line: string): boolean {
    for (let at = 0; at < line.length; ) {
      if (this.#tag && (this.#braces.isOpen || (this.#quote === '' && line[at] === '{'))) {
        at = this.#braces.read(line, at);
        continue;
      }
      if (this.#tag) {
        if (!this.#readInTag(line, at)) return false;
        at += 1;
        continue;
      }
      this.#start.lastIndex = at;
      const [start, slash] = this.#start.exec(line) ?? [];
      if (start === undefined) return line.slice(at).trim() === '';
      this.#tag = slash === '' ? 'open' : 'close';
      at += start.length;
    }
    return true;
  }

  #readInTag(line: string, at: number): boolean {
    const character = line.charAt(at);
    if (this.#quote !== '') {
      if (character === this.#quote) this.#quote = '';
    } else if (character === '"' || character === "'") this.#quote = character;
    else if (character === '<') return false;
    else if (character === '>') {
      if (this.#tag === 'close') this.depth = Math.max(0, this.depth - 1);
      else if (line.charAt(at - 1) !== '/') this.depth += 1;
      this.#tag = undefined;
    }
    return true;
  }
}

/** The start of a component's tag, and that of any tag, without the name. */
const COMPONENT = /\s*<(\/?)(?=[A-Z>])/y;
const ANY = /\s*<(\/?)(?=[A-Za-z>])/y;

/** Whether a line has nothing but tags. The last one may go on in the next line. */
function isTags(line: string, start: RegExp): boolean {
  start.lastIndex = 0;
  if (!start.test(line)) return false;
  const reader = new TagReader(start);
  return reader.read(line) && (reader.state === false || /^<\w[\w.]*\s*$|[={]/.test(line));
}

/** The mark of a block of code. */
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;

/** Returns a function that reads the lines of a block of code, and returns whether it goes on. */
function codeReader(first: string): (line: string) => boolean {
  const [fence = ''] = FENCE.exec(first) ?? [];
  let isFirst = true;
  return (line) => {
    const isEnd = !isFirst && line.startsWith(fence) && line.replaceAll(fence.charAt(0), '').trim() === '';
    isFirst = false;
    return !isEnd;
  };
}

/** Reads tags that have lines of their own. Between them is Markdown, which may be indented. */
function tagLines(start: RegExp): MarkdownConfig {
  const readers = new WeakMap<BlockContext, TagReader>();
  return {
    defineNodes: [{ name: 'JSX', block: true }],
    parseBlock: [
      {
        name: 'JSX',
        before: 'IndentedCode',
        parse(cx, line) {
          const reader = readers.get(cx) ?? new TagReader(start);
          readers.set(cx, reader);
          const rest = restOf(line);
          const isDeep = line.indent >= line.baseIndent + 4;
          if (isDeep && reader.depth === 0) return false;
          if (isDeep && FENCE.test(rest)) {
            takeLines(cx, line, codeReader(rest), 'anyLine');
            return true;
          }
          if (!isTags(rest, start)) {
            if (isDeep) line.moveBase(line.pos);
            return false;
          }
          const from = cx.lineStart + line.pos;
          reader.start();
          const marks: Element[] = [];
          const read = (text: string) => {
            reader.read(text);
            return reader.state;
          };
          const to = takeLines(cx, line, read, 'open', marks);
          cx.addElement(
            cx.elt(
              'JSX',
              from,
              to,
              marks.filter((mark) => mark.from < to),
            ),
          );
          return true;
        },
        leaf: () => ({
          nextLine(cx, line, leaf) {
            const rest = restOf(line);
            const isCode = FENCE.test(rest) && (readers.get(cx)?.depth ?? 0) > 0;
            if (!isCode && !isTags(rest, start)) return false;
            cx.addLeafElement(leaf, cx.elt('Paragraph', leaf.start, leaf.start + leaf.content.length));
            return true;
          },
          finish: () => false,
        }),
      },
    ],
  };
}

/** Components of MDX in lines of their own, such as `<Tabs>`. */
export const JSX = tagLines(COMPONENT);

/** The blocks of HTML in MDX whose content is no Markdown. */
const RAW = /^<(?:!--|(script|style|pre|textarea)\b)/i;

/** In a file with components or modules, all tags are like components. */
export const MDX: readonly MarkdownConfig[] = [
  {
    remove: ['HTMLBlock'],
    parseBlock: [
      {
        name: 'Raw',
        before: 'FencedCode',
        parse(cx, line) {
          const found = RAW.exec(restOf(line));
          if (!found) return false;
          const end = found[1] === undefined ? '-->' : `</${found[1]}`;
          takeLines(cx, line, (text) => !text.includes(end), 'anyLine');
          return true;
        },
        endLeaf: (_, line) => RAW.test(restOf(line)),
      },
    ],
  },
  tagLines(ANY),
];
