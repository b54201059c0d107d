import { isVerbatim } from '../../lib/content/html-markup.ts';
import { searchOnce } from '../../lib/content/search-once.ts';
import { maskTemplates, splitTemplates } from '../../lib/content/templates.ts';

/** A part of a segment's content: text to translate, a piece of markup to protect, or a character that XML lacks. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'control'; readonly text: string }
  | { readonly kind: 'single'; readonly text: string; readonly id: number }
  /** An opening or closing tag. Both tags of a pair have the same id, and pairs are properly nested. */
  | { readonly kind: 'open' | 'close'; readonly text: string; readonly id: number };

/** The deepest nesting of paired tags. Deeper tags become single codes, so that no reader needs more depth. */
const MAX_DEPTH = 32;
/** Matches a character that XML 1.0 cannot hold, not even escaped. Lone surrogates do not count. */
export const NOT_IN_XML = /[^\t\n\r -\ufffd\u{10000}-\u{10ffff}]/u;
export const EACH_NOT_IN_XML = new RegExp(NOT_IN_XML, 'gu');
const TAG_NAME = /<(\/?)([A-Za-z][\w:.-]*)/y;
const SPECIAL_ENDS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const;

/** A token of content, before tags are paired. */
interface Token {
  readonly text: string;
  /** The name of a tag in lower case; absent for text and for markup that is never paired. */
  readonly name?: string;
  readonly kind: 'text' | 'control' | 'single' | 'open' | 'close';
}

/**
 * Divides content into text and markup. The texts of the parts, joined, are the content. Every tag, comment and
 * processing instruction of HTML becomes markup, and code between `<%` and `%>`; entities and placeholders stay text.
 * @param model the parts of the source, if the content is its translation: equal markup gets the ids of the source
 */
export function partsOf(content: string, model: readonly Part[] = []): Part[] {
  return identify([...tokensOf(content)], model);
}

/** Divides content as `partsOf` does, but an element whose content must stay as it is, such as code, is one piece. */
export function protectedPartsOf(content: string, model: readonly Part[] = []): Part[] {
  const tokens = [...tokensOf(content)];
  const partners = pairTags(tokens);
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token) break;
    const end = token.kind === 'open' && isVerbatim(token.text, token.name ?? '') ? partners.get(token) : undefined;
    const last = end ? tokens.indexOf(end, at) : at;
    const element = tokens.slice(at, last + 1);
    // XML holds no control characters, so they are no part of a piece.
    const isPiece = element.length > 1 && element.every(({ kind }) => kind !== 'control');
    if (isPiece) joined.push({ kind: 'single', text: element.map(({ text }) => text).join('') });
    else for (const each of element) joined.push(each);
    at = last;
  }
  return identify(joined, model);
}

function identify(tokens: readonly Token[], model: readonly Part[]): Part[] {
  const partners = pairTags(tokens, MAX_DEPTH);
  const ids = idSource(model);
  const idsOfOpen = new Map<Token, number>();
  return tokens.map((token): Part => {
    const { kind, text } = token;
    if (kind === 'text' || kind === 'control') return { kind, text };
    const partner = partners.get(token);
    if (kind === 'single' || partner === undefined) return { kind: 'single', text, id: ids(text) };
    const id = idsOfOpen.get(partner) ?? ids(`${text}${partner.text}`);
    idsOfOpen.set(token, id);
    return { kind, text, id };
  });
}

/** A tag, or another part of markup. */
interface Tag {
  readonly kind: string;
  readonly name?: string | undefined;
}

/**
 * Returns the pairs of tags in both directions. Tags that are never closed, or never opened, have no partner.
 * @param maxDepth the deepest nesting of pairs
 */
export function pairTags<T extends Tag>(tags: readonly T[], maxDepth = Number.POSITIVE_INFINITY): ReadonlyMap<T, T> {
  const partners = new Map<T, T>();
  const open: T[] = [];
  const openNames = new Map<string | undefined, number>();
  const count = ({ name }: T, by: 1 | -1) => openNames.set(name, (openNames.get(name) ?? 0) + by);
  for (const tag of tags) {
    if (tag.kind === 'open') {
      open.push(tag);
      count(tag, 1);
    } else if (tag.kind === 'close' && (openNames.get(tag.name) ?? 0) > 0) {
      // Tags that were opened inside and never closed stay without a partner.
      for (let last = open.pop(); last; last = open.pop()) {
        count(last, -1);
        if (last.name !== tag.name) continue;
        if (open.length < maxDepth) partners.set(last, tag).set(tag, last);
        break;
      }
    }
  }
  return partners;
}

/**
 * Returns a function that gives each piece of markup its id: the next id of equal markup in the model that is still
 * free, or else a new id.
 */
function idSource(model: readonly Part[]): (text: string) => number {
  const free = new Map<string, number[]>();
  const opens = new Map<number, string>();
  let last = 0;
  for (const part of model) {
    if (!('id' in part)) continue;
    last = Math.max(last, part.id);
    if (part.kind === 'open') opens.set(part.id, part.text);
    else addTo(free, part.kind === 'close' ? `${opens.get(part.id)}${part.text}` : part.text, part.id);
  }
  for (const ids of free.values()) ids.reverse();
  return (text) => {
    const known = free.get(text)?.pop();
    if (known !== undefined) return known;
    last++;
    return last;
  };
}

function addTo(map: Map<string, number[]>, key: string, id: number): void {
  const ids = map.get(key);
  if (ids) ids.push(id);
  else map.set(key, [id]);
}

/** Divides content into tokens, in time proportional to its length. */
function* tokensOf(content: string): Generator<Token, void> {
  // Code of template languages may stand in a tag, and have brackets and quotes.
  const masked = maskTemplates(content, 'x');
  const markupAt = markupReader(masked);
  const controls = new RegExp(NOT_IN_XML, 'gu');
  const controlAfter = searchOnce((from) => {
    controls.lastIndex = from;
    return controls.exec(content)?.index ?? -1;
  });
  let textStart = 0;
  for (let at = masked.indexOf('<'); at >= 0; ) {
    const markup = markupAt(at);
    if (markup && controlAfter(at) >= at + markup.text.length) {
      yield* textTokens(content.slice(textStart, at));
      yield { ...markup, text: content.slice(at, at + markup.text.length) };
      textStart = at + markup.text.length;
    }
    at = masked.indexOf('<', Math.max(textStart, at + 1));
  }
  yield* textTokens(content.slice(textStart));
}

/** Returns a function that reads the tag, comment or alike that begins at an index, for ascending indexes. */
export function markupReader(content: string, skip?: Skip) {
  const ends = new Map(SPECIAL_ENDS.map(([, end]) => [end, searchOnce((from) => content.indexOf(end, from))]));
  const endAfter: EndAfter = (end, from) => {
    const at = ends.get(end)?.(from) ?? content.length;
    return at < content.length ? at + end.length : undefined;
  };
  return (at: number) => markupAt(content, at, endAfter, skip);
}

function* textTokens(between: string): Generator<Token, void> {
  for (const { text, isMatch } of splitTemplates(between)) {
    if (isMatch && text.startsWith('<') && !NOT_IN_XML.test(text)) yield { kind: 'single', text };
    else yield* characterTokens(text);
  }
}

function* characterTokens(text: string): Generator<Token, void> {
  let start = 0;
  for (const { 0: control, index } of text.matchAll(EACH_NOT_IN_XML)) {
    if (index > start) yield { kind: 'text', text: text.slice(start, index) };
    yield { kind: 'control', text: control };
    start = index + 1;
  }
  if (start < text.length) yield { kind: 'text', text: text.slice(start) };
}

type SpecialEnd = (typeof SPECIAL_ENDS)[number][1];
/** Returns the end of something in a tag that begins at an index, and is no part of its syntax. */
type Skip = (at: number) => number | undefined;
/** Returns the index after the next end of special markup. */
type EndAfter = (end: SpecialEnd, from: number) => number | undefined;

function markupAt(content: string, at: number, endAfter: EndAfter, skip?: Skip): Token | undefined {
  const special = SPECIAL_ENDS.find(([start]) => content.startsWith(start, at));
  if (special) {
    const [start, end] = special;
    const until = endAfter(end, at + start.length);
    return until === undefined ? undefined : { kind: 'single', text: content.slice(at, until) };
  }
  TAG_NAME.lastIndex = at;
  const [matched = '', slash, name = ''] = TAG_NAME.exec(content) ?? [];
  const until = matched === '' ? undefined : endOfTag(content, at + matched.length, skip);
  if (until === undefined) return undefined;
  const text = content.slice(at, until);
  if (slash) return { kind: 'close', name: name.toLowerCase(), text };
  return { kind: text.endsWith('/>') ? 'single' : 'open', name: name.toLowerCase(), text };
}

/** Returns the index after the `>` of a tag; `undefined` if there is none before the next `<`. */
function endOfTag(content: string, from: number, skip?: Skip): number | undefined {
  let quote = '';
  for (let at = from; at < content.length; at++) {
    const character = content.charAt(at);
    if (character === '<') return undefined;
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return at + 1;
    else if (character === '"' || character === "'") quote = character;
    else at = (skip?.(at) ?? at + 1) - 1;
  }
  return undefined;
}
