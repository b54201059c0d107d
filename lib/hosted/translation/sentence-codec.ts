import { type MarkupPart, splitMarkupWithin } from '../../content/html-markup.ts';
import { isTag, LINE_BREAK, type Syntax, type Tag } from '../../content/scan.ts';
import { LIMITS } from '../../contract/limits.ts';
import type {
  PlaceholderElement,
  TextFailureReason,
  TextFormat,
  TextResult,
} from '../../service/translation-engine.ts';
import type { Sentence, SentencePiece } from './sentences.ts';

/** A sentence as it is sent to an engine. */
export interface EncodedSentence {
  readonly format: TextFormat;
  readonly text: string;
}

/**
 * Encodes a sentence for an engine. Words alone are plain text. Otherwise it is HTML in which each tag and each
 * placeholder is an element with a number. No attribute, comment or code of the content is sent.
 */
export function encodeSentence({ pieces }: Sentence, element: PlaceholderElement): EncodedSentence {
  if (pieces.every((piece) => piece.kind === 'text')) return { format: 'plain', text: pieces.map(textOf).join('') };
  const parts = pieces.map((piece, number) => {
    if (piece.kind === 'text') return escapeHtml(piece.text);
    if (piece.kind === 'open') return `<${elementOf(piece.name)} id="${number}">`;
    if (piece.kind === 'close') return `</${elementOf(piece.name)}>`;
    return ELEMENTS[element](number, labelOf(piece));
  });
  return { format: 'html', text: parts.join('') };
}

const ELEMENTS: Readonly<Record<PlaceholderElement, (number: number, label: string) => string>> = {
  empty: (number) => `<x id="${number}"/>`,
  'no-translate': (number, label) => `<span translate="no" id="${number}">${label}</span>`,
  code: (number, label) => `<code id="${number}">${label}</code>`,
};

/** The elements that engines know as a part of a sentence. */
const KNOWN = /^(?:a|abbr|b|bdi|bdo|big|cite|del|dfn|em|font|i|ins|mark|q|s|small|span|strike|strong|sub|sup|u)$/;
const elementOf = (name: string) => (KNOWN.test(name) ? name : 'span');

const MAX_LABEL = 60;

/** Returns what an engine sees of a placeholder: the placeholder itself, if it is short and harmless. */
function labelOf(piece: SentencePiece): string {
  if (piece.kind !== 'placeholder' || piece.choice || piece.raw.length > MAX_LABEL) return '';
  return /^[\x20-\x7e]+$/.test(piece.raw) ? escapeHtml(piece.raw) : '';
}

const textOf = (piece: SentencePiece) => (piece.kind === 'text' ? piece.text : '');

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? '');
}

const failed = (reason: TextFailureReason, lost?: string): TextResult => {
  return { kind: 'failed', reason, ...(lost !== undefined && { lost }) };
};

/** The maximum number of tags and character references in the answer of an engine for a sentence. */
const MAX_ANSWER_PARTS = 10 * LIMITS.contentPieces;

/** A translation longer than this is no translation. */
const maxLength = (text: string) => 8 * text.length + 200;

/** A piece that must come back. */
type Kept = Exclude<SentencePiece, { readonly kind: 'text' }>;

/**
 * Decodes an engine's translation of a sentence into the syntax of the content, and puts its tags and placeholders back.
 * Each must come back once, and each pair of tags inside of the same tags as before.
 * @param restore returns a placeholder as it stands in the translation
 */
export function decodeSentence(
  { pieces, syntax }: Sentence,
  sent: EncodedSentence,
  answer: string,
  restore: (piece: Kept) => string,
): TextResult {
  if (answer.length > maxLength(sent.text)) return failed('implausible');
  const line = (/[\r\n]/.test(answer) ? answer.replace(LINE_BREAK, ' ') : answer).trim();
  if (line === '') return failed('implausible');
  return sent.format === 'plain' ? writeText(line, syntax) : decodeHtml(pieces, syntax, line, restore);
}

function decodeHtml(
  pieces: readonly SentencePiece[],
  syntax: Syntax,
  html: string,
  restore: (piece: Kept) => string,
): TextResult {
  const { partners, parents } = treeOf(pieces);
  const used = new Set<number>();
  const open: number[] = [];
  const texts: string[] = [];
  /** The placeholder whose element is open, and what has been read of its label. */
  let placeholder: { readonly piece: Kept; readonly name: string; label: string } | undefined;

  const parts = splitMarkupWithin(html, MAX_ANSWER_PARTS);
  if (!parts) return failed('implausible');
  for (const part of parts) {
    const reason = placeholder ? readLabel(part, placeholder) : readPart(part);
    if (reason) return failed(reason);
  }
  const isMissing = (piece: SentencePiece, number: number): piece is Kept =>
    piece.kind !== 'text' && piece.kind !== 'close' && !used.has(number);
  const missing = pieces.find(isMissing);
  if (missing) return failed(reasonOf(missing), beginningOf(missing.raw));
  return open.length > 0 || placeholder ? failed('markup-lost') : { kind: 'translated', text: texts.join('') };

  function readPart(part: MarkupPart): TextFailureReason | undefined {
    if (part.kind === 'comment') return 'markup-lost';
    if (part.kind === 'text' || part.kind === 'entity') {
      const text = writeText(part.kind === 'text' ? part.raw : part.character, syntax);
      if (text.kind === 'failed') return text.reason;
      texts.push(text.text);
      return undefined;
    }
    if (part.kind === 'close') return IGNORED.test(part.name) ? undefined : readClose(part.name);
    const number = numberOf(part.raw);
    return number === undefined && IGNORED.test(part.name) ? undefined : readOpen(part, number ?? -1);
  }

  function readOpen(part: Pick<Tag, 'name'> & { kind: MarkupPart['kind'] }, number: number) {
    const piece = pieces[number];
    if (!piece || piece.kind === 'text' || piece.kind === 'close') return 'markup-lost';
    if (used.has(number)) return reasonOf(piece);
    used.add(number);
    if (piece.kind === 'open') {
      if (part.name !== elementOf(piece.name) || parents.get(number) !== open.at(-1)) return 'markup-lost';
      open.push(number);
    } else if (part.kind === 'open' && part.name !== 'x') placeholder = { piece, name: part.name, label: '' };
    texts.push(restore(piece));
    return undefined;
  }

  function readClose(name: string): TextFailureReason | undefined {
    const close = pieces[partners.get(open.pop() ?? -1) ?? -1];
    if (!close || !isTag(close) || elementOf(close.name) !== name) return 'markup-lost';
    texts.push(close.raw);
    return undefined;
  }

  /** The element of a placeholder holds its label, and nothing else. Otherwise the engine has put words into it. */
  function readLabel(part: MarkupPart, current: NonNullable<typeof placeholder>): TextFailureReason | undefined {
    if (part.kind === 'text') current.label += part.raw;
    else if (part.kind === 'entity') current.label += part.character;
    else if (part.kind !== 'close' || part.name !== current.name) return reasonOf(current.piece);
    else {
      placeholder = undefined;
      return escapeHtml(current.label.trim()) === labelOf(current.piece).trim() ? undefined : reasonOf(current.piece);
    }
    return undefined;
  }
}

/** Some engines wrap a fragment of HTML into a document, or write `<x></x>` for `<x/>`. */
const IGNORED = /^(?:html|head|body|x)$/;

function numberOf(tag: string): number | undefined {
  const [, digits] = /\sid\s*=\s*["']?(\d{1,7})["'\s/>]/.exec(tag) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function reasonOf(piece: SentencePiece): TextFailureReason {
  return piece.kind === 'placeholder' ? 'placeholder-lost' : 'markup-lost';
}

/** How many characters are shown of what is lost. */
const SHOWN = 60;

function beginningOf(raw: string): string {
  return raw
    .slice(0, SHOWN)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();
}

/** Writes words in the syntax of the content. They must not contain anything that has a meaning there. */
function writeText(text: string, { isHtml, isMessage }: Syntax): TextResult {
  if (isHtml && /[<>&]/.test(text)) return failed('markup-lost');
  if (isMessage && /[{}#]/.test(text)) return failed('placeholder-lost');
  // In an ICU message, an apostrophe may start a quoted text. Two always are one apostrophe.
  return { kind: 'translated', text: isMessage ? text.replaceAll("'", "''") : text };
}

/** Returns the end tag of each start tag, and the start tag that each start tag stands in. */
function treeOf(pieces: readonly SentencePiece[]) {
  const partners = new Map<number, number>();
  const parents = new Map<number, number | undefined>();
  const open: number[] = [];
  pieces.forEach(({ kind }, number) => {
    if (kind === 'open') {
      parents.set(number, open.at(-1));
      open.push(number);
    }
    if (kind === 'close') partners.set(open.pop() ?? -1, number);
  });
  return { partners, parents };
}
