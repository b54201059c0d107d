import { isBlock } from '../../../contract/sentence-count.ts';
import { joinVerbatim, splitMarkup } from '../../../service/html-markup.ts';
import { decodeFile } from '../decode.ts';
import { pairTags, partsOf } from '../markup.ts';
import { type Span, spanCodec } from './span-file.ts';

/**
 * The texts of an HTML file: the content of each block with its tags, such as `Hello <b>you</b>`, and attributes that
 * people read. Scripts, styles, code and elements with `translate="no"` are no texts.
 */
export const html = spanCodec((bytes) => {
  const file = decodeFile(bytes, (start) => /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1]);
  const [, attributes = ''] = /<html\b([^>]*)/i.exec(file.text) ?? [];
  const sourceLanguageCode = /\slang\s*=\s*["']?([\w-]+)/i.exec(attributes)?.[1];
  return { file, sourceLanguageCode, spans: [...htmlSpans(file.text)] };
});

/** A part of HTML with its position in the text. */
type Part = ReturnType<typeof joinVerbatim>[number] & { readonly start: number; readonly end: number };

/** Finds the texts of HTML. @param offset the position of the HTML in the file */
export function* htmlSpans(text: string, offset = 0): Generator<Span> {
  for (const span of spansIn(text)) yield { ...span, start: span.start + offset, end: span.end + offset };
}

function* spansIn(text: string): Generator<Span> {
  let run: Part[] = [];
  let end = 0;
  for (const part of joinVerbatim(splitMarkup(text))) {
    const start = end;
    end += part.raw.length;
    const isBreak = part.kind === 'break' || ('name' in part && part.name !== 'br' && isBlock(part.name));
    if (!isBreak) {
      run.push({ ...part, start, end });
      continue;
    }
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
  let [from, to] = [0, parts.length - 1];
  for (let [first, last] = [parts[from], parts[to]]; first && last; [first, last] = [parts[from], parts[to]]) {
    if (from < to && partners.get(first) === last) [from, to] = [from + 1, to - 1];
    else if (isAround(first)) from += 1;
    else if (isAround(last)) to -= 1;
    else break;
  }
  const inner = parts.slice(from, to + 1);
  const outer = [...parts.slice(0, from), ...parts.slice(to + 1)];
  const raw = text.slice(inner[0]?.start, inner.at(-1)?.end);
  const start = (inner[0]?.start ?? 0) + raw.length - raw.trimStart().length;
  const isPlain = inner.every(({ kind }) => kind === 'text' || kind === 'entity');
  const span = {
    start,
    end: start + raw.trim().length,
    content: raw.trim().replace(/\s+/g, ' '),
    write: isPlain ? escapeText : escapeStray,
  };
  return [span, ...outer.flatMap(attributeSpans)];
}

function hasLetters(part: Part): boolean {
  return (part.kind === 'text' && /\p{L}/u.test(part.raw)) || (part.kind === 'entity' && /\p{L}/u.test(part.character));
}

/** Whether a part at the edge of a text does not belong to the text. */
function isAround({ kind, raw }: Part): boolean {
  return kind === 'comment' || kind === 'void' || (kind === 'text' && raw.trim() === '');
}

/** The attributes that people read. */
const ATTRIBUTES = /^(?:alt|title|placeholder|aria-label|aria-description)$/;
const READ_META = /^(?:description|(?:og|twitter):(?:title|description|image:alt))$/;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|[^\s"'>]+))?/g;

/** Returns the texts in the attributes of a tag. */
function attributeSpans(part: Part): Span[] {
  if (part.kind !== 'open' && part.kind !== 'void') return [];
  const all = Array.from(part.raw.matchAll(ATTRIBUTE), ({ 0: whole, 1: name = '', 2: double, 3: single, index }) => {
    const quote = double === undefined ? "'" : '"';
    return {
      name: name.toLowerCase(),
      value: double ?? single ?? '',
      quote,
      end: part.start + index + whole.length - 1,
    };
  });
  const isRead = (wanted: string, values: RegExp) =>
    all.some(({ name, value }) => name === wanted && values.test(value.toLowerCase()));
  const isReadMeta = part.name === 'meta' && (isRead('name', READ_META) || isRead('property', READ_META));
  const isReadInput = part.name === 'input' && isRead('type', /^(?:button|submit|reset)$/);
  return all.flatMap(({ name, value, quote, end }): Span[] => {
    const isText = ATTRIBUTES.test(name) || (name === 'content' && isReadMeta) || (name === 'value' && isReadInput);
    if (!isText || !/\p{L}/u.test(value)) return [];
    const write = (text: string) => escapeText(text).replaceAll(quote, quote === '"' ? '&quot;' : '&#39;');
    return [{ start: end - value.length, end, content: value, write }];
  });
}

/** Escapes what would be markup, and leaves character references as they are. */
function escapeText(text: string): string {
  return text.replace(/&(?!(?:[a-z][a-z\d]{1,31}|#\d{1,7}|#x[\da-f]{1,6});)/gi, '&amp;').replaceAll('<', '&lt;');
}

/** Escapes what looks like markup but is none. */
function escapeStray(translation: string): string {
  return partsOf(translation)
    .map((part) => (part.kind === 'text' ? escapeText(part.text) : part.text))
    .join('');
}
