import { READ_ATTRIBUTES } from '../../lib/content/html-markup.ts';
import { hasNoSyntax, type Piece, scan, syntaxOf } from '../../lib/content/scan.ts';
import { groupBy } from './group-by.ts';

/** A tag, a comment or a placeholder of a text. */
interface ProtectedPart {
  readonly kind: 'markup' | 'placeholder';
  /** The part as it was written. */
  readonly raw: string;
  /** A text that parts with the same meaning share. */
  readonly key: string;
}

/**
 * Returns the tags, comments and placeholders of a text that its translation lacks, or has changed. Their order does not
 * matter, and a translation may have more. The branches of an ICU message count together, because languages have other
 * plural forms. It takes time proportional to the length of both.
 * @returns nothing if the text has more parts than an engine would translate, or is no ICU message although it looks like one
 */
export function lostParts(source: string, translation: string): ProtectedPart[] {
  if (source === translation || hasNoSyntax(source)) return [];
  const scanned = scan(source);
  if (typeof scanned === 'string') return [];
  // A language may need plural forms where its source needs none.
  const isMessage = scanned.syntax.isMessage || syntaxOf(translation).isMessage;
  const found = scan(translation, { ...scanned.syntax, isMessage });
  if (found === 'too-complex') return [];
  const all = [...partsOf(scanned.pieces)];
  // No program can read such a message.
  if (typeof found === 'string') return once(all).filter(({ kind, raw }) => kind === 'placeholder' && raw !== '#');
  const [needed = [], there = []] = withPositions([all, [...partsOf(found.pieces)]]);
  if (isMessage) {
    const keys = new Set(there.flatMap(({ key }) => [key, argumentOf(key)]));
    const isThere = (key: string) => keys.has(key) || keys.has(filled(key));
    // The number of a plural is lost with it.
    return once(needed).filter(({ raw, key }) => !isThere(key) && (raw !== '#' || isThere(argumentOf(key))));
  }
  return missingParts(needed, there);
}

/** Returns the parts that a translation lacks, by their keys. */
export function missingParts<P extends { readonly key: string }>(needed: readonly P[], there: readonly P[]): P[] {
  const left = groupBy(there, ({ key }) => key);
  return needed.filter(({ key }) => !(left.get(key)?.pop() ?? left.get(filled(key))?.pop()));
}

/** What the key of a start tag ends with, if its element is empty. */
const EMPTY = '</>';

/** An element that is empty in the text need not be empty in its translation. */
function filled(key: string): string {
  return key.endsWith(EMPTY) ? key.slice(0, -EMPTY.length) : key;
}

/**
 * Returns the key of a tag, by which an element that shows nothing is another one. A picture is seen without its text too.
 * @param at the index of the tag
 */
export function keyOfTag(
  key: string,
  parts: readonly { readonly kind: string; readonly raw: string }[],
  at: number,
): string {
  if (parts[at]?.kind !== 'open' || key.startsWith('<picture')) return key;
  let next = at + 1;
  while (parts[next]?.kind === 'text' && parts[next]?.raw.trim() === '') next += 1;
  return parts[next]?.kind === 'close' ? key + EMPTY : key;
}

function once(parts: readonly ProtectedPart[]): ProtectedPart[] {
  return [...new Map(parts.map((part) => [part.key, part])).values()];
}

/** @param plural the argument of the plural around the pieces, which `#` stands for */
function* partsOf(pieces: readonly Piece[], plural?: string): Generator<ProtectedPart> {
  for (const [at, piece] of pieces.entries()) {
    const { kind, raw } = piece;
    if (kind === 'text') continue;
    if (kind !== 'placeholder') {
      // A translation may have other characters and other line breaks.
      if (/^<./s.test(raw)) yield { kind: 'markup', raw, key: keyOfTag(normalised(raw), pieces, at) };
    } else if (piece.choice) {
      const [, name = '', type = ''] = /^\{\s*([^\s,]+)\s*,\s*(\w+)/.exec(piece.raw) ?? [];
      yield { kind, raw: `{${name}, ${type}, …}`, key: `{${name},` };
      const inner = type === 'select' ? plural : name;
      for (const part of piece.choice) if (typeof part !== 'string') yield* partsOf(part, inner);
    } else if (raw === '#') {
      if (plural !== undefined) yield { kind, raw, key: `{${plural}}` };
      // In a message, a bracket may stand alone, and quotes keep others from being syntax.
    } else if (!/^(?:[{}]$|')/.test(raw)) yield { kind, raw, key: compact(raw) };
  }
}

/** Returns the key of an argument in any form: `{n,` for `{n}` and for `{n, number}`. */
function argumentOf(key: string): string {
  return key.replace(/^(\{[\w.-]+)[,}].*/s, '$1,');
}

/** Removes white space where it separates nothing. */
function compact(raw: string): string {
  return raw.replace(/\s+/g, ' ').replace(/ (?!\w)|(?<!\w) /g, '');
}

const VALUE_TO_READ = new RegExp(`(\\s(?:${READ_ATTRIBUTES})\\s*=\\s*)(?:"[^"]*"|'[^']*'|[^\\s"'>]+)`, 'gi');
const TAG = /^<\/?[a-z][^<>]*>$/i;

/** People translate some attributes, and tools write `<br>` and quotes in other ways. */
function normalised(raw: string): string {
  if (!TAG.test(raw)) return compact(raw);
  const tag = raw.replace(VALUE_TO_READ, '$1').replace(/=\s*'([^"']*)'/g, '="$1"');
  return compact(tag).replace(/\/>$/, '>');
}

/** `%s` and `%1$s`, but not `%%`, `%name%`, `%{name}` and `%(name)s`. */
const PRINTF = /^%(?![%({]).*[^%]$/s;
const POSITION = /^%\d+\$/;

/** If only one of two texts has positions, as in `%2$s`, gives the other one those that its order means. */
function withPositions(texts: readonly ProtectedPart[][]): readonly ProtectedPart[][] {
  if (!texts.some((parts) => parts.some(({ key }) => POSITION.test(key)))) return texts;
  return texts.map((parts) => {
    let position = 0;
    return parts.map((part) => {
      if (part.kind === 'markup' || !PRINTF.test(part.key) || POSITION.test(part.key)) return part;
      position += 1;
      return { ...part, key: part.key.replace('%', `%${position}$$`) };
    });
  });
}
