import { isUntranslated, joinVerbatim, READ_ATTRIBUTES, splitMarkup } from '../../../lib/content/html-markup.ts';
import { maskTemplates } from '../../../lib/content/templates.ts';
import { lazy } from '../../../lib/contract/lazy.ts';
import { isBlock } from '../../../lib/contract/sentence-count.ts';
import { decodeFile } from '../decode.ts';
import { browserEncoding } from '../legacy-encodings.ts';
import { pairTags } from '../markup.ts';
import { htmlWriter, mapProse } from './html-escapes.ts';
import { spacesOf } from './html-spaces.ts';
import { type Span, spanCodec } from './span-file.ts';
import { TextRanges } from './text-range.ts';

/**
 * The texts of an HTML file: the content of each block with its tags, such as `Hello <b>you</b>`, and attributes that
 * people read. Scripts, styles, code, graphics and elements with `translate="no"` are no texts.
 */
export const html = spanCodec((bytes) => {
  const file = { ...decodeFile(bytes, encodingIn), hasReferences: true };
  const [, attributes = ''] = /<html\b([^>]*)/i.exec(file.text) ?? [];
  const sourceLanguageCode = /\slang\s*=\s*["']?([\w-]+)/i.exec(attributes)?.[1];
  return { file, sourceLanguageCode, spans: [...htmlSpans(file.text)] };
});

/** Returns the encoding that a page declares. */
function encodingIn(start: string): string | undefined {
  const name = /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1];
  return name && browserEncoding(name);
}

/** A part of HTML with its position in the text. */
type Part = ReturnType<typeof joinVerbatim>[number] & {
  readonly start: number;
  readonly end: number;
  /** Whether its line breaks are shown. */
  readonly isPreformatted?: boolean;
};

/** Finds the texts of HTML. @param offset the position of the HTML in the file */
export function* htmlSpans(text: string, offset = 0): Generator<Span> {
  for (const span of spansIn(text)) yield { ...span, start: span.start + offset, end: span.end + offset };
}

function* spansIn(text: string): Generator<Span> {
  let run: Part[] = [];
  let end = 0;
  let isPreformatted = false;
  for (const part of joinVerbatim(splitMarkup(text))) {
    const start = end;
    end += part.raw.length;
    const isBreak = part.kind === 'break' || ('name' in part && part.name !== 'br' && isBlock(part.name));
    if (!isBreak) {
      run.push({ ...part, start, end, isPreformatted });
      continue;
    }
    if ('name' in part && part.name === 'textarea') isPreformatted = part.kind === 'open';
    yield* runSpans(run, text);
    yield* attributeSpans({ ...part, start, end });
    run = [];
  }
  yield* runSpans(run, text);
}

/** Returns the texts between the tags of two blocks. Tags without a partner among these parts divide them. */
function* runSpans(run: readonly Part[], text: string): Generator<Span> {
  const partners = pairTags(run);
  let first = 0;
  for (const [index, part] of run.entries()) {
    const isLone = (part.kind === 'open' || part.kind === 'close') && !partners.has(part);
    if (!isLone) continue;
    yield* textSpans(run.slice(first, index), partners, text);
    yield* attributeSpans(part);
    first = index + 1;
  }
  yield* textSpans(run.slice(first), partners, text);
}

/** Returns the text of some parts, without white space and tags around it; and the attributes, if there is no text. */
function textSpans(parts: readonly Part[], partners: ReadonlyMap<Part, Part>, text: string): Span[] {
  if (!parts.some(hasLetters)) return parts.flatMap(attributeSpans);
  const isRead = (part: Part) => attributeSpans(part).length > 0;
  const [from, to] = new TextRanges(parts, partners, { isBare, isRead, keepsTags: false }).inner();
  const inner = parts.slice(from, to);
  const outer = [...parts.slice(0, from), ...parts.slice(to)];
  const raw = text.slice(inner[0]?.start, inner.at(-1)?.end);
  const start = (inner[0]?.start ?? 0) + raw.length - raw.trimStart().length;
  const isPlain = inner.every(({ kind }) => kind === 'text' || kind === 'entity');
  const kept = inner.flatMap((part) => ('tag' in part || part.kind === 'comment' ? [part.raw] : []));
  const writer = htmlWriter(raw, new Set(kept));
  // A segment has the white space of preformatted text, so there is none to give back.
  const hasSpaces = inner.some(({ isPreformatted }) => isPreformatted);
  const withSpaces = lazy(() => spacesOf(inner));
  const span = {
    start,
    end: start + raw.trim().length,
    content: inner.map(contentOf).join('').trim(),
    write(translation: string) {
      const written = isPlain ? writer.text(translation) : writer.markup(translation);
      return hasSpaces ? written : withSpaces()(written);
    },
  };
  return [span, ...outer.flatMap(attributeSpans)];
}

/** Returns a part as it stands in a segment. White space in texts becomes one space, unless it is shown. */
function contentOf({ kind, raw, isPreformatted }: Part): string {
  return kind === 'text' && !isPreformatted ? mapProse(raw, (prose) => prose.replace(/[\t\n\f\r ]+/g, ' ')) : raw;
}

function hasLetters(part: Part): boolean {
  return (part.kind === 'text' && isText(part.raw)) || (part.kind === 'entity' && isText(part.character));
}

/** Whether a text has a letter that is not code of a template language. */
function isText(text: string): boolean {
  return /\p{L}/u.test(maskTemplates(text, ' '));
}

/** Whether a part is a tag, a comment or white space. */
function isBare({ kind, raw }: Part): boolean {
  return /^(?:open|close|void|comment)$/.test(kind) || (kind === 'text' && raw.trim() === '');
}

/** The attributes that people read, and the elements whose label they read. Components and custom elements are such too. */
const ATTRIBUTES = new RegExp(`^(?:${READ_ATTRIBUTES})$`);
const WITH_LABEL = /^(?:optgroup|option|track|.+-.+)$/;
const COMPONENT = /^<[A-Z]/;
const READ_META = /^(?:description|(?:og|twitter):(?:title|description|image:alt))$/;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?/g;

/** Returns the texts in the attributes of a tag. */
function attributeSpans(part: Part): Span[] {
  const tag = 'tag' in part ? part.tag : part.raw;
  const name = 'tag' in part ? '' : 'name' in part ? part.name : undefined;
  if (name === undefined || part.kind === 'close' || isUntranslated(tag)) return [];
  // Quotes in code of template languages are none of the tag.
  const all = Array.from(maskTemplates(tag, 'x').matchAll(ATTRIBUTE), (match) => {
    const { 0: whole, 1: attribute = '', 2: double, 3: single, 4: bare, index } = match;
    const length = (double ?? single ?? bare ?? '').length;
    const end = index + whole.length - (bare === undefined ? 1 : 0);
    const quote = single === undefined ? '"' : "'";
    return {
      name: attribute.toLowerCase(),
      start: end - length,
      end,
      value: tag.slice(end - length, end),
      quote,
      isBare: bare !== undefined,
    };
  });
  const isRead = (wanted: string, values: RegExp) =>
    all.some((attribute) => attribute.name === wanted && values.test(attribute.value.toLowerCase()));
  const isReadMeta = name === 'meta' && (isRead('name', READ_META) || isRead('property', READ_META));
  const isReadInput = name === 'input' && isRead('type', /^(?:button|submit|reset)$/);
  return all.flatMap(({ name: attribute, value, start, end, quote, isBare }): Span[] => {
    const isWanted =
      ATTRIBUTES.test(attribute) ||
      (attribute === 'label' && (WITH_LABEL.test(name) || COMPONENT.test(tag))) ||
      (attribute === 'content' && isReadMeta) ||
      (attribute === 'value' && isReadInput);
    if (!isWanted || !isText(value)) return [];
    const { text } = htmlWriter(value);
    const escaped = (translation: string) =>
      mapProse(text(translation), (prose) => prose.replaceAll(quote, quote === '"' ? '&quot;' : '&#39;'));
    const write = isBare ? (translation: string) => `"${escaped(translation)}"` : escaped;
    return [{ start: part.start + start, end: part.start + end, content: value, write }];
  });
}
