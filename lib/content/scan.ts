import { LIMITS } from '../contract/limits.ts';
import { hasChoices, isBlock } from '../contract/sentence-count.ts';
import { isHtml, isName, joinVerbatim, splitMarkupWithin } from './html-markup.ts';
import { type Choice, type Message, parseMessage } from './icu-message.ts';
import { splitPlaceholders } from './placeholders.ts';
import { splitText, type TextPart } from './split-text.ts';
import { splitTemplates } from './templates.ts';

/** A part of a content. Together the `raw` texts of all pieces are the content. */
export type Piece =
  /** Words. `text` is what they say: without character references and without the quoting of ICU messages. */
  | { readonly kind: 'text'; readonly raw: string; readonly text: string }
  /** Something that must come back unchanged. If it is a choice, its messages are translated. */
  | {
      readonly kind: 'markup' | 'placeholder';
      readonly raw: string;
      readonly choice?: ScannedChoice;
      /** Whether the markup stands for words, such as a name that is not translated. */
      readonly isWord?: boolean;
    }
  | Tag
  /** The end of a sentence: the tag of a block, or a line break. */
  | { readonly kind: 'break'; readonly raw: string };

/** A tag inside a sentence. */
export interface Tag {
  readonly kind: 'open' | 'close';
  readonly raw: string;
  readonly name: string;
}

export function isTag(piece: { readonly kind: string }): piece is Tag {
  return piece.kind === 'open' || piece.kind === 'close';
}

/** A choice, with the pieces of its messages between its syntax. */
export type ScannedChoice = readonly (string | readonly Piece[])[];

/** What the characters of a content mean. */
export interface Syntax {
  readonly isHtml: boolean;
  /** Whether it is an ICU message with choices. */
  readonly isMessage: boolean;
  /** Whether a line break outside of tags is only white space, so that it is no piece. */
  readonly isOneLine?: boolean;
}

/** A content, divided into its pieces. */
export interface Scanned {
  readonly syntax: Syntax;
  readonly pieces: readonly Piece[];
}

/**
 * The maximum number of pieces of a content that are no words: line breaks, tags, character references, placeholders and
 * the branches of choices. A content of a mebibyte can have 500,000, which need more memory than a process has.
 */
const MAX_PIECES = LIMITS.contentPieces;

/** A line break with the white space around it. It starts only where white space starts, so that the search is linear. */
export const LINE_BREAK = /(?<!\s)\s*[\r\n]\s*/g;

/** The characters without which a content is nothing but words in one line. Most contents have none of them. */
const SPECIAL = /[<>&{}%$@`\u007f-\u009f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]|[^ -\uffff]|:\/\//;

/** The syntax of a content that is nothing but words in one line. */
export const NO_SYNTAX: Syntax = { isHtml: false, isMessage: false };

/** Whether a content is nothing but words in one line. */
export function hasNoSyntax(content: string): boolean {
  return !SPECIAL.test(content);
}

/** Finds out what the characters of a content mean. */
export function syntaxOf(content: string): Syntax {
  if (hasNoSyntax(content)) return NO_SYNTAX;
  return { isHtml: isHtml(content), isMessage: hasChoices(content) };
}

/**
 * Divides a content into pieces. Reads no further than to the first piece too many.
 * @param syntax by default, that of the content itself
 * @returns why the content cannot be translated: it looks like an ICU message, but cannot be parsed as one, or it has more
 *   pieces than the maximum
 */
export function scan(
  content: string,
  syntax: Syntax = syntaxOf(content),
): Scanned | 'message-unreadable' | 'too-complex' {
  if (!syntax.isMessage && hasNoSyntax(content)) {
    return { syntax, pieces: content === '' ? [] : [{ kind: 'text', raw: content, text: content }] };
  }
  const message = syntax.isMessage ? parseMessage(content, MAX_PIECES) : [content];
  if (typeof message === 'string') return message;
  const counted = { pieces: 0 };
  const pieces = collect(scanMessage(message, syntax, counted), counted);
  return counted.pieces > MAX_PIECES ? 'too-complex' : { syntax, pieces };
}

/** How many pieces of a content were found that are no words. More than the maximum: the others are not looked for. */
interface Counted {
  pieces: number;
}

function collect(found: Iterable<Piece>, counted: Counted): Piece[] {
  const pieces: Piece[] = [];
  for (const piece of found) {
    if (piece.kind !== 'text') counted.pieces += 1;
    if (counted.pieces > MAX_PIECES) break;
    pieces.push(piece);
  }
  return pieces;
}

function* scanMessage(message: Message, syntax: Syntax, counted: Counted): Generator<Piece> {
  const choices = message.filter((part) => typeof part !== 'string');
  // A character that no text contains stands for each choice, so that a tag may begin before a choice and end after it.
  const standIn = choices.length > 0 ? unusedCharacter(message) : '';
  const joined = message.map((part) => (typeof part === 'string' ? part : standIn)).join('');
  const special = specialCharacters(syntax, standIn);
  let next = 0;
  const withChoices = (text: string) =>
    standIn === '' ? text : text.replaceAll(standIn, () => choices[next++]?.raw ?? '');

  const scanLinesOf = syntax.isOneLine ? scanText : scanLines;
  if (!syntax.isHtml) {
    // Code of a template language may have line breaks, which are no breaks of the text.
    yield* scanTemplates(joined, scanLinesOf);
    return;
  }
  const parts = splitMarkupWithin(joined, MAX_PIECES);
  if (!parts) {
    counted.pieces = Number.POSITIVE_INFINITY;
    return;
  }
  let blocks = 0;
  let isTextarea = false;
  for (const part of joinVerbatim(parts)) {
    // In a block, a line break is only a space. Elsewhere the text may be that of an app, where it is a line break.
    if (part.kind === 'text') yield* scanTemplates(part.raw, blocks > 0 && !isTextarea ? scanText : scanLinesOf);
    else yield scanMarkup(part, withChoices(part.raw));
    if ((part.kind !== 'open' && part.kind !== 'close') || !isBlock(part.name)) continue;
    if (part.name === 'textarea') isTextarea = part.kind === 'open';
    else blocks = Math.max(0, blocks + (part.kind === 'open' ? 1 : -1));
  }

  function* scanTemplates(text: string, scanProse: (text: string) => Iterable<Piece>): Generator<Piece> {
    for (const part of splitTemplates(text)) {
      if (part.isMatch) yield { kind: 'placeholder', raw: withChoices(part.text) };
      else yield* scanProse(part.text);
    }
  }

  function* scanLines(text: string): Generator<Piece> {
    for (const line of splitText(text, LINE_BREAK)) {
      if (line.isMatch) yield { kind: 'break', raw: withChoices(line.text) };
      else yield* scanText(line.text);
    }
  }

  function* scanText(text: string): Generator<Piece> {
    for (const part of syntax.isMessage ? splitQuoted(text) : splitPlaceholders(text)) {
      if (part.isMatch) yield { kind: 'placeholder', raw: withChoices(part.text) };
      else if (special) for (const { text: raw } of splitText(part.text, special)) yield scanCharacters(raw);
      else yield { kind: 'text', raw: part.text, text: part.text };
    }
  }

  function scanCharacters(raw: string): Piece {
    const choice = raw === standIn ? choices[next++] : undefined;
    if (choice) return { kind: 'placeholder', raw: choice.raw, choice: scanChoice(choice, syntax, counted) };
    if (syntax.isMessage && /^[#{}]$/.test(raw)) return { kind: 'placeholder', raw };
    if (syntax.isHtml && /^[<>&]$/.test(raw)) return { kind: 'markup', raw };
    return { kind: 'text', raw, text: syntax.isMessage ? raw.replaceAll("''", "'") : raw };
  }
}

/** @param raw the part as it stands in the content */
function scanMarkup(part: Exclude<ReturnType<typeof joinVerbatim>[number], { kind: 'text' }>, raw: string): Piece {
  if (part.kind === 'entity') {
    const isText = /^[\p{L}\p{M}\p{N}'’]$/u.test(part.character);
    return isText ? { kind: 'text', raw, text: part.character } : { kind: 'markup', raw };
  }
  if (part.kind === 'break' || ('name' in part && isBlock(part.name))) return { kind: 'break', raw };
  if (part.kind === 'verbatim') return { kind: 'markup', raw, isWord: isName(part.tag) };
  if (part.kind === 'open' || part.kind === 'close') return { kind: part.kind, raw, name: part.name };
  return { kind: 'markup', raw };
}

/** Each branch counts as a piece, because it is a sentence at least. */
function scanChoice({ parts }: Choice, syntax: Syntax, counted: Counted): ScannedChoice {
  return parts.map((part) => {
    if (typeof part === 'string') return part;
    counted.pieces += 1;
    return collect(scanMessage(part, syntax, counted), counted);
  });
}

function unusedCharacter(message: Message): string {
  const used = new Set<number>();
  for (const part of message) {
    if (typeof part !== 'string') continue;
    for (let index = 0; index < part.length; index++) {
      const code = part.charCodeAt(index);
      if (code >= FIRST_PRIVATE_USE) used.add(code);
    }
  }
  let code = FIRST_PRIVATE_USE;
  while (used.has(code)) code += 1;
  return String.fromCharCode(code);
}

const FIRST_PRIVATE_USE = 0xe000;

/** In an ICU message, two apostrophes are one, and an apostrophe before a bracket starts a quoted text. */
const QUOTED = /''|'[{}#](?:[^']|'')*(?:'(?!')|$)/g;

function* splitQuoted(raw: string): Generator<TextPart> {
  for (const part of splitText(raw, QUOTED, (found) => found !== "''")) {
    if (part.isMatch) yield part;
    else yield* splitPlaceholders(part.text);
  }
}

/** Returns a pattern of the characters that have a meaning in a syntax; `undefined` if none has. */
function specialCharacters({ isHtml: html, isMessage }: Syntax, standIn: string): RegExp | undefined {
  if (standIn !== '') return new RegExp(`[#{}${standIn}${html ? '<>&' : ''}]`, 'g');
  if (isMessage) return html ? /[#{}<>&]/g : /[#{}]/g;
  return html ? /[<>&]/g : undefined;
}
