import type { BlockContext, Line, MarkdownConfig } from '@lezer/markdown';
import { BracketReader, braceEnds } from './javascript.ts';
import { type LineState, restOf, takeLines } from './markdown-lines.ts';

/** The mark of a block or line. Its groups are the title, of which one or none matches. They have indices. */
type Mark = RegExp;

/** A block whose lines after the first are indented: at least by four characters, or as the text after the mark. */
function indentedBlock(name: string, mark: Mark, { isLine, indent }: { isLine?: true; indent?: 4 }): MarkdownConfig {
  return {
    defineNodes: [
      {
        name,
        block: true,
        composite(_, line, by) {
          if (line.next < 0) return true;
          if (line.indent < line.baseIndent + by) return false;
          line.moveBaseColumn(line.baseIndent + by);
          return true;
        },
      },
    ],
    parseBlock: [
      {
        name,
        before: 'FencedCode',
        parse(cx, line) {
          const found = mark.exec(restOf(line));
          if (!found) return false;
          const end = isLine ? line.text.length : line.pos + found[0].length;
          cx.startComposite(name, line.pos, indent ?? line.countIndent(end) - line.baseIndent);
          addTitle(cx, line, found);
          line.moveBase(end);
          return null;
        },
        endLeaf: (_, line) => mark.test(restOf(line)),
      },
    ],
  };
}

/** A line that is no text, apart from the title in it. */
function singleLine(name: string, mark: Mark, parent?: string): MarkdownConfig {
  const find = (cx: BlockContext, line: Line) =>
    parent === undefined || cx.parentType().name === parent ? mark.exec(restOf(line)) : null;
  return {
    parseBlock: [
      {
        name,
        before: 'FencedCode',
        parse(cx, line) {
          const found = find(cx, line);
          if (!found) return false;
          addTitle(cx, line, found);
          cx.nextLine();
          return true;
        },
        endLeaf: (cx, line) => find(cx, line) !== null,
      },
    ],
  };
}

function addTitle(cx: BlockContext, line: Line, { indices = [] }: RegExpExecArray): void {
  const [from, to] = indices.slice(1).find((range) => range) ?? [0, 0];
  const start = cx.lineStart + line.pos;
  if (from < to) cx.addElement(cx.elt('Title', start + from, start + to));
}

/** A line in braces that another program reads, such as `{: .lead }` and `{% include a %}`. */
const BRACES = /^\{(?:[ \t]*[:#.][^{}]*|%[^{}]*%|\{[<%][^{}]*[>%]\}|\/\*.*\*\/)\}\s*$/;

/** Expressions in lines of their own. */
const EXPRESSION: MarkdownConfig = {
  parseBlock: [
    {
      name: 'Expression',
      before: 'FencedCode',
      parse(cx, line) {
        const rest = restOf(line);
        if (!rest.startsWith('{')) return false;
        if (rest.startsWith('{/*')) takeLines(cx, line, (text) => !text.includes('*/'), 'anyLine');
        else {
          const end = braceEnds(rest)(0);
          // Prose that begins with a brace is no program.
          if (end === undefined ? !/^\{(?:\s*$|[{%])|[({[=>,&|?:]\s*$/.test(rest) : rest.slice(end).trim() !== '')
            return false;
          takeLines(cx, line, codeLines());
        }
        return true;
      },
      endLeaf: (_, line) => BRACES.test(restOf(line)),
    },
  ],
};

/** Returns a function that reads lines of JavaScript for `takeLines`. */
function codeLines(): (text: string) => LineState {
  const reader = new BracketReader({ hasLines: true });
  return (text) => {
    reader.readLine(text);
    return reader.isInText ? 'inText' : reader.isOpen;
  };
}

/** The first line of an import or an export of a module, but no prose that begins with such a word. */
const MODULE_LINE = new RegExp(
  [
    /^import\s*(?:["'{*]|[\w$]+\s*(?:,\s*[{*]|\s+from\s*["']))/,
    /^export\s+(?:[{*]|(?:const|let|var|type)\s+[\w$[{][^=]*=|(?:async\s+)?function\b.*\(|(?:class|interface|enum)\s.*\{)/,
    /^export\s+default\s+(?:[\w$.]+;?\s*$|.*[({[`'"=])/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Imports and exports of MDX, which end at a blank line outside of brackets. */
const MODULE: MarkdownConfig = {
  defineNodes: [{ name: 'Module', block: true }],
  parseBlock: [
    {
      name: 'Module',
      before: 'FencedCode',
      parse(cx, line) {
        if (cx.depth > 1 || line.pos > 0 || !MODULE_LINE.test(line.text)) return false;
        const from = cx.lineStart;
        const to = takeLines(cx, line, codeLines(), 'block');
        cx.addElement(cx.elt('Module', from, to));
        return true;
      },
    },
  ],
};

/**
 * What programs for documentation add to Markdown: admonitions, tabs, definitions, footnotes and abbreviations, lines in
 * braces, and modules of MDX. Blocks with the name `Title` are the titles in their marks.
 */
export const EXTENSIONS: readonly MarkdownConfig[] = [
  { defineNodes: [{ name: 'Title', block: true }] },
  // !!! note "Title", ??? note, === "Tab"
  indentedBlock(
    'Admonition',
    /^(?:(?:!!!|\?\?\?\+?|===[!+]?)[ \t]+(?:[\w-]+[ \t]+)*"([^"]*)"|(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+[\w-]+)*)[ \t]*$/d,
    { isLine: true, indent: 4 },
  ),
  // : A definition
  indentedBlock('Definition', /^:[ \t]+(?=\S)/d, {}),
  // [^1]: A footnote
  indentedBlock('Footnote', /^\[\^[^\][\s]+\]:[ \t]*/d, { indent: 4 }),
  // :::note[Title], ::: note Title, ::: note "Title" {.class}, :::
  singleLine('Label', /^:{2,}[ \t]*[\w-]+\[(.*)\](?:\{[^{}]*\})?[ \t]*$/d),
  singleLine('Container', /^:{3,}[ \t]*[\w-]*(?:[ \t]+(?:"([^"]*)"[ \t]*$|([^\s{][^{]*)))?/d),
  // *[HTML]: The text of an abbreviation
  singleLine('Abbreviation', /^\*\[[^\][]+\]:[ \t]+(.*)$/d),
  // > [!NOTE] Title
  singleLine('Alert', /^\[![\w-]+(?:\|[^\][]*)?\][+-]?(?!\()[ \t]*(.*)$/d, 'Blockquote'),
  EXPRESSION,
  MODULE,
];
