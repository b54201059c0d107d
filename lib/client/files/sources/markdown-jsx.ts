import type { BlockContext, MarkdownConfig } from '@lezer/markdown';
import { restOf, takeLines } from './markdown-lines.ts';

/** The state of a reader of tags that have lines of their own. */
class TagReader {
  /** How many components are open. */
  depth = 0;
  #tag: 'open' | 'close' | undefined;
  #quote = '';
  #braces = 0;

  /** Whether a tag goes on in the next line. */
  get isInTag(): boolean {
    return this.#tag !== undefined;
  }

  /** Begins with a line outside of tags. */
  start(): void {
    this.#tag = undefined;
    this.#quote = '';
    this.#braces = 0;
  }

  /** Reads a line. @returns whether nothing but tags stands there */
  read(line: string): boolean {
    for (let at = 0; at < line.length; ) {
      if (this.#tag) {
        if (!this.#readInTag(line, at)) return false;
        at += 1;
        continue;
      }
      START.lastIndex = at;
      const [start, slash] = START.exec(line) ?? [];
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
    } else if (character === '{') this.#braces += 1;
    else if (character === '}') this.#braces -= 1;
    else if (this.#braces <= 0) {
      if (character === '"' || character === "'") this.#quote = character;
      if (character === '<') return false;
      if (character === '>') {
        if (this.#tag === 'close') this.depth = Math.max(0, this.depth - 1);
        else if (line.charAt(at - 1) !== '/') this.depth += 1;
        this.#tag = undefined;
      }
    }
    return true;
  }
}

const START = /\s*<(\/?)(?=[A-Z>])/y;

/** Whether a line has nothing but tags of components. The last one may go on in the next line. */
function isJsx(line: string): boolean {
  if (!/^<\/?[A-Z>]/.test(line)) return false;
  const reader = new TagReader();
  return reader.read(line) && (!reader.isInTag || /^<[A-Z][\w.]*\s*$|[={]/.test(line));
}

const readers = new WeakMap<BlockContext, TagReader>();

function readerOf(cx: BlockContext): TagReader {
  const reader = readers.get(cx) ?? new TagReader();
  readers.set(cx, reader);
  return reader;
}

/** Components of MDX in lines of their own, such as `<Tabs>`. Between their tags is Markdown, which may be indented. */
export const JSX: MarkdownConfig = {
  defineNodes: [{ name: 'JSX', block: true }],
  parseBlock: [
    {
      name: 'JSX',
      before: 'IndentedCode',
      parse(cx, line) {
        const reader = readerOf(cx);
        const rest = restOf(line);
        const isDeep = line.indent >= line.baseIndent + 4;
        if (isDeep && (reader.depth === 0 || /^(?:`{3}|~{3})/.test(rest))) return false;
        if (isDeep) line.moveBase(line.pos);
        if (!isJsx(rest)) return false;
        const from = cx.lineStart + line.pos;
        reader.start();
        const to = takeLines(cx, line, (text) => {
          reader.read(text);
          return reader.isInTag;
        });
        cx.addElement(cx.elt('JSX', from, to));
        return true;
      },
      leaf: () => ({
        nextLine(cx, line, leaf) {
          if (!isJsx(restOf(line))) return false;
          cx.addLeafElement(leaf, cx.elt('Paragraph', leaf.start, leaf.start + leaf.content.length));
          return true;
        },
        finish: () => false,
      }),
    },
  ],
};
