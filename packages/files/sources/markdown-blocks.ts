import { type MarkdownConfig, parser, Table, TaskList } from '@lezer/markdown';
import { EXTENSIONS } from './markdown-extensions.ts';
import { JSX, MDX } from './markdown-jsx.ts';

/** The deepest nesting of quotes and lists that is read. */
const MAX_DEPTH = 128;

/** The error of Markdown that is nested too deeply. */
export class MarkdownTooDeep extends Error {
  override readonly name = 'MarkdownTooDeep';
  /** Where the line begins in the text. */
  readonly index: number;

  constructor(index: number) {
    super(`The file is nested more than ${MAX_DEPTH} levels deep.`);
    this.index = index;
  }
}

const DEPTH: MarkdownConfig = {
  parseBlock: [
    {
      name: 'Depth',
      before: 'LinkReference',
      parse(block) {
        if (block.depth > MAX_DEPTH) throw new MarkdownTooDeep(block.lineStart);
        return false;
      },
    },
  ],
};

/** From how many characters on a block of several lines is no definition of a link, such as `[a]: /b "c"`. */
const MAX_DEFINITION = 2_000;

/** The parser of definitions reads a block anew with each line, so it is taken out of a long block. */
const DEFINITION: MarkdownConfig = {
  parseBlock: [
    {
      name: 'LongDefinition',
      before: 'LinkReference',
      leaf(_, { content }) {
        if (!content.startsWith('[')) return null;
        return {
          nextLine(_, __, leaf) {
            if (leaf.content.length > MAX_DEFINITION) {
              const own = leaf.parsers.indexOf(this);
              leaf.parsers = leaf.parsers.filter((_, index) => index !== own && index !== own + 1);
            }
            return false;
          },
          finish: () => false,
        };
      },
    },
  ],
};

/** Matches a line that begins no table, and for which the parser of tables would take quadratic time. */
const FAR_RIGHT = /^[>\s]{100}/;

const TABLE: MarkdownConfig = {
  ...Table,
  parseBlock: (Table.parseBlock ?? []).map((parser) => ({
    ...parser,
    endLeaf: (block, line, leaf) => !FAR_RIGHT.test(block.peekLine()) && (parser.endLeaf?.(block, line, leaf) ?? false),
  })),
};

/** The parser's readers of inline markup. They take quadratic time, and no block depends on them. */
const INLINE = ['Escape', 'Entity', 'InlineCode', 'HTMLTag', 'Emphasis', 'HardBreak', 'Link', 'Image', 'LinkEnd'];

const COMMON = [TABLE, TaskList, DEPTH, DEFINITION, EXTENSIONS, { remove: INLINE }];
const BLOCKS = parser.configure([COMMON, JSX]);
const MDX_BLOCKS = parser.configure([COMMON, MDX]);

/** A block of Markdown. */
export type Block = ReturnType<typeof BLOCKS.parse>['topNode'];

/**
 * Divides Markdown into its blocks, without the inline markup in them.
 * @throws {MarkdownTooDeep} if it is nested too deeply
 */
export type ParseBlocks = (text: string) => Block;

/** A file as its blocks, and its parser. */
interface ParsedFile {
  readonly document: Block;
  readonly parse: ParseBlocks;
  readonly isMdx: boolean;
}

/**
 * Returns the parser of a file (CommonMark with GitHub's tables and tasks, and extensions), and its result. A file with
 * modules or components is MDX.
 * @throws {MarkdownTooDeep} if it is nested too deeply
 */
export function parseFile(text: string): ParsedFile {
  const parse: ParseBlocks = (part) => BLOCKS.parse(part).topNode;
  const document = parse(text);
  if (!hasMdx(document)) return { document, parse, isMdx: false };
  const parseMdx: ParseBlocks = (part) => MDX_BLOCKS.parse(part).topNode;
  return { document: parseMdx(text), parse: parseMdx, isMdx: true };
}

function hasMdx(block: Block): boolean {
  for (let child = block.firstChild; child; child = child.nextSibling) {
    if (child.name === 'JSX' || child.name === 'Module' || hasMdx(child)) return true;
  }
  return false;
}
