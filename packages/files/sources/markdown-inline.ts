import { maskTemplates, splitTemplates } from '../../../lib/content/templates.ts';
import { markupReader } from '../markup.ts';
import { braceEnds } from './javascript.ts';
import { endOfTarget, readLabel } from './markdown-targets.ts';

/** A part of inline Markdown. */
export interface InlinePart {
  /** Text to translate, a pair of tags around text, or one that stands alone. */
  readonly kind: 'text' | 'open' | 'close' | 'single';
  /** The part as Markdown. */
  readonly raw: string;
  /** Where it begins in the Markdown. */
  readonly start: number;
  /** The part as a segment has it: text, or a tag of HTML. */
  readonly shown: string;
}

/** The destinations of a file's definitions, such as `[a]: /b`, by their labels as `labelKey` returns them. */
export type Definitions = ReadonlyMap<string, string>;

const SPECIAL = /\\.?|`+| {2}\n|<|!?\[|\]|[$%#]?\{|(?<![\w:]):[a-z][\w+-]*:(?!\w)/gs;
/** The kramdown attributes of the element before them. */
const ATTRIBUTES = /\{[ \t]*[:#.][^{}]*\}/y;
const FOOTNOTE = /\[\^[^\][\s]+\]/y;
const AUTOLINK = /<(?:[a-z][a-z\d+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>/iy;

/** A bracket that may begin a link or an image. */
interface Opener {
  readonly part: number;
  readonly isImage: boolean;
  readonly end: number;
  hasBrackets: boolean;
}

/**
 * Divides inline Markdown into its parts. Code, links, images, tags and expressions become tags of HTML, and emphasis stays
 * text. Each line break in it is a hard one. It takes linear time.
 */
export function inlineParts(markdown: string, definitions: Definitions): InlinePart[] {
  const parts: InlinePart[] = [];
  const openers: Opener[] = [];
  /** A link has no links in it, so brackets before it begin none any more. */
  let noLinkBefore = 0;
  let textStart = 0;
  const endOfCode = codeEnds(markdown);
  const endOfBraces = braceEnds(markdown);
  const endOfTemplate = templateEnds(markdown);
  const tagAt = markupReader(maskTemplates(markdown, 'x'), (at) =>
    markdown[at] === '}' ? markdown.length : endOfBraces(at),
  );

  const addText = (end: number) => {
    if (end > textStart) parts.push(textPart(markdown.slice(textStart, end), textStart));
  };
  const add = (kind: InlinePart['kind'], start: number, end: number, shown: string, raw?: string) => {
    addText(start);
    parts.push({ kind, raw: raw ?? oneLine(markdown.slice(start, end)), start, shown });
    textStart = end;
    return end;
  };
  const withAttributes = (end: number) => matchAt(ATTRIBUTES, markdown, end)?.end ?? end;

  function closeLink(at: number): number {
    const opener = openers.pop();
    const isInactive = openers.length < noLinkBefore;
    noLinkBefore = Math.min(noLinkBefore, openers.length);
    if (!opener || (!opener.isImage && isInactive)) return at + 1;
    const target = endOfTarget(markdown, at + 1, endOfBraces) ?? referenceAt(at, opener);
    const above = openers.at(-1);
    if (above) above.hasBrackets = true;
    if (!target) return at + 1;
    if (!opener.isImage) noLinkBefore = openers.length;
    const name = opener.isImage ? 'picture' : 'a';
    const { raw, start } = parts[opener.part] ?? { raw: '[', start: at };
    const title = target.title === undefined ? '' : ` title="${attributeOf(target.title)}"`;
    const source = opener.isImage ? 'src' : 'href';
    parts[opener.part] = {
      kind: 'open',
      raw,
      start,
      shown: `<${name} ${source}="${attributeOf(target.href)}"${title}>`,
    };
    const end = withAttributes(target.end);
    return add('close', at, end, `</${name}>`, oneLine(target.raw + markdown.slice(target.end, end)));
  }

  function referenceAt(at: number, opener: Opener) {
    const label = readLabel(markdown, at + 1);
    const own = opener.hasBrackets ? undefined : markdown.slice(opener.end, at);
    const named = label === undefined || label === '' ? own : label;
    const href = named === undefined ? undefined : definitions.get(labelKey(named));
    if (named === undefined || href === undefined) return undefined;
    const end = label === undefined ? at + 1 : at + label.length + 3;
    return { end, href, title: undefined, raw: `][${named}]` };
  }

  function readAt(found: string, at: number): number {
    const end = at + found.length;
    switch (found.at(-1)) {
      case '`': {
        const codeEnd = endOfCode.get(at);
        if (codeEnd === undefined) return end;
        const code = oneLine(markdown.slice(end, codeEnd - found.length));
        const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
        const shown = isPadded ? code.slice(1, -1) : code;
        return add('single', at, withAttributes(codeEnd), `<code>${escapeText(shown)}</code>`);
      }
      case '\n':
        return add('single', at, end, '<br>', found);
      case '<': {
        const templateEnd = endOfTemplate.get(at);
        if (templateEnd !== undefined) return add('single', at, templateEnd, oneLine(markdown.slice(at, templateEnd)));
        const link = matchAt(AUTOLINK, markdown, at);
        if (link) return add('single', at, link.end, `<${attributeOf(link.found.slice(1, -1))}>`, link.found);
        const tag = tagAt(at);
        if (!tag || (tag.kind !== 'open' && tag.kind !== 'close' && tag.kind !== 'single')) return end;
        const tagEnd = at + tag.text.length;
        const inner = oneLine(markdown.slice(at, tagEnd));
        return add(tag.kind, at, tagEnd, `${inner[0]}${escapeInTag(inner.slice(1, -1))}>`, inner);
      }
      case '{': {
        const bracesEnd = endOfBraces(end - 1);
        if (bracesEnd === undefined) return end;
        return add('single', at, bracesEnd, `<var>${escapeText(oneLine(markdown.slice(at, bracesEnd)))}</var>`);
      }
      case '[': {
        const note = matchAt(FOOTNOTE, markdown, end - 1);
        if (note && found === '[') return add('single', at, note.end, `<var>${escapeText(note.found)}</var>`);
        const above = openers.at(-1);
        if (above) above.hasBrackets = true;
        addText(at);
        textStart = end;
        openers.push({ part: parts.length, isImage: found === '![', end, hasBrackets: false });
        parts.push({ kind: 'text', raw: found, start: at, shown: found });
        return end;
      }
      case ':':
        return add('single', at, end, `<var>${found}</var>`);
      default:
        return found === ']' ? closeLink(at) : end;
    }
  }

  for (let at = 0; ; ) {
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(markdown);
    if (!special) break;
    at = special[0].startsWith('\\') && special[0] !== '\\\n' ? SPECIAL.lastIndex : readAt(special[0], special.index);
  }
  addText(markdown.length);
  return parts;
}

/** Whether a text in Markdown is the start of what HTML takes for a tag, or is escaped in another way than in HTML. */
const NOT_IN_HTML = /\\(.)|<(?=[a-z/!?])/gis;

function textPart(raw: string, start: number): InlinePart {
  const shown = raw.replace(NOT_IN_HTML, (found, escaped = found) =>
    /[<&]/.test(escaped) ? escapeText(escaped) : found,
  );
  return { kind: 'text', raw, start, shown };
}

/** Returns the ends of code by its starts: what stands between two equally long runs of backticks. */
function codeEnds(markdown: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const nextOf = new Map<number, number>();
  for (const { 0: run, index } of [...markdown.matchAll(/`+/g)].reverse()) {
    const end = nextOf.get(run.length);
    if (end !== undefined) ends.set(index, end);
    nextOf.set(run.length, index + run.length);
  }
  return ends;
}

/** Returns the ends of code of template languages, such as `<%= page %>`, by their starts. */
function templateEnds(markdown: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  let at = 0;
  for (const { text, isMatch } of splitTemplates(markdown)) {
    if (isMatch) ends.set(at, at + text.length);
    at += text.length;
  }
  return ends;
}

function matchAt(pattern: RegExp, text: string, at: number): { found: string; end: number } | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : { found, end: at + found.length };
}

/** A line break in code, in a tag or in a target is a space. */
function oneLine(raw: string): string {
  return raw.replace(/(?<! ) *\n/g, ' ');
}

/** Returns what equal labels have in common. */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeInTag = (text: string) => text.replace(/[<>]/g, (character) => ESCAPES[character] ?? '');
const attributeOf = (text: string) => text.replace(/["'<>]/g, (character) => ESCAPES[character] ?? '');

function escapeText(text: string): string {
  const escaped = text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? '');
  // Code such as `{{` begins no code of a template language that ends in other code.
  return OPEN_TEMPLATE.test(maskTemplates(escaped, 'x')) ? escaped.replace(EACH_OPEN_TEMPLATE, '&#123;') : escaped;
}

/** What may begin code. What is like `{#id}` begins none. */
const OPEN_TEMPLATE = /\{(?=[{%!]|#(?![^{}]*\}))/;
const EACH_OPEN_TEMPLATE = new RegExp(OPEN_TEMPLATE, 'g');
