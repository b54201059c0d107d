import { isBlock, isHtml, joinVerbatim, splitMarkup } from '../../service/html-markup.ts';
import { type Choice, hasChoices, type Message, parseMessage } from './icu-message.ts';
import { splitPlaceholders } from './placeholders.ts';

/** A part of a content. Together the `raw` texts of all pieces are the content. */
export type Piece =
  /** Words. `text` is what they say: without character references and without the quoting of ICU messages. */
  | { readonly kind: 'text'; readonly raw: string; readonly text: string }
  /** Something that must come back unchanged. If it is a choice, its messages are translated. */
  | { readonly kind: 'markup' | 'placeholder'; readonly raw: string; readonly choice?: ScannedChoice }
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
}

/** A content, divided into its pieces. */
export interface Scanned {
  readonly syntax: Syntax;
  readonly pieces: readonly Piece[];
}

/** A line break with the white space around it. It starts only where white space starts, so that the search is linear. */
export const LINE_BREAK = /(?<!\s)\s*[\r\n]\s*/g;

/** The characters without which a content is nothing but words in one line. Most contents have none of them. */
const SPECIAL = /[<>&{}%$@\u007f-\u009f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]|[^ -\uffff]|:\/\//;

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
 * Divides a content into pieces. Returns `undefined` if it looks like an ICU message, but cannot be parsed as one.
 * @param syntax by default, that of the content itself
 */
export function scan(content: string, syntax: Syntax = syntaxOf(content)): Scanned | undefined {
  if (!syntax.isMessage && hasNoSyntax(content)) {
    return { syntax, pieces: content === '' ? [] : [{ kind: 'text', raw: content, text: content }] };
  }
  if (!syntax.isMessage && !syntax.isHtml) return { syntax, pieces: splitLines(content).flatMap(scanLine) };
  const message = syntax.isMessage ? parseMessage(content) : [content];
  return message && { syntax, pieces: scanMessage(message, syntax) };
}

/** Scans a part of a content that is neither HTML nor an ICU message. */
function scanLine({ kind, raw }: ContentPart): Piece[] {
  if (kind === 'break') return [{ kind, raw }];
  return splitPlaceholders(raw).map(({ text, isPlaceholder }) =>
    isPlaceholder ? { kind: 'placeholder', raw: text } : { kind: 'text', raw: text, text },
  );
}

function scanMessage(message: Message, syntax: Syntax): Piece[] {
  const choices = message.filter((part) => typeof part !== 'string');
  // A character that no text contains stands for each choice, so that a tag may begin before a choice and end after it.
  const standIn = unusedCharacter(message);
  const joined = message.map((part) => (typeof part === 'string' ? part : standIn)).join('');
  const parts = syntax.isHtml ? joinVerbatim(splitMarkup(joined)) : splitLines(joined);
  let next = 0;
  const withChoices = (text: string) => text.replaceAll(standIn, () => choices[next++]?.raw ?? '');
  return parts.flatMap((part): Piece[] => {
    if (part.kind === 'text') return scanText(part.raw);
    const raw = withChoices(part.raw);
    if (part.kind === 'entity') {
      const isText = /^[\p{L}\p{M}\p{N}'’]$/u.test(part.character);
      return [isText ? { kind: 'text', raw, text: part.character } : { kind: 'markup', raw }];
    }
    if (part.kind === 'break' || ('name' in part && isBlock(part.name))) return [{ kind: 'break', raw }];
    if (part.kind === 'open' || part.kind === 'close') return [{ kind: part.kind, raw, name: part.name }];
    return [{ kind: 'markup', raw }];
  });

  function scanText(text: string): Piece[] {
    const texts = syntax.isMessage ? splitQuoted(text) : splitPlaceholders(text);
    return texts.flatMap((part): Piece[] =>
      part.isPlaceholder
        ? [{ kind: 'placeholder', raw: withChoices(part.text) }]
        : splitCharacters(part.text, syntax, standIn).map(scanCharacters),
    );
  }

  function scanCharacters(raw: string): Piece {
    const choice = raw === standIn ? choices[next++] : undefined;
    if (choice) return { kind: 'placeholder', raw: choice.raw, choice: scanChoice(choice, syntax) };
    if (syntax.isMessage && /^[#{}]$/.test(raw)) return { kind: 'placeholder', raw };
    if (syntax.isHtml && /^[<>&]$/.test(raw)) return { kind: 'markup', raw };
    return { kind: 'text', raw, text: syntax.isMessage ? raw.replaceAll("''", "'") : raw };
  }
}

function scanChoice({ parts }: Choice, syntax: Syntax): ScannedChoice {
  return parts.map((part) => (typeof part === 'string' ? part : scanMessage(part, syntax)));
}

function unusedCharacter(message: Message): string {
  const text = message.filter((part) => typeof part === 'string').join('');
  let code = 0xe000;
  while (text.includes(String.fromCharCode(code))) code += 1;
  return String.fromCharCode(code);
}

type ContentPart = ReturnType<typeof joinVerbatim>[number];

const LINES = new RegExp(`(${LINE_BREAK.source})`);

function splitLines(text: string): ContentPart[] {
  if (!/[\r\n]/.test(text)) return [{ kind: 'text', raw: text }];
  return text.split(LINES).flatMap((raw, index): ContentPart[] => {
    if (raw === '') return [];
    return [index % 2 === 1 ? { kind: 'break', raw } : { kind: 'text', raw }];
  });
}

/** In an ICU message, two apostrophes are one, and an apostrophe before a bracket starts a quoted text. */
const QUOTED = /''|'[{}#](?:[^']|'')*(?:'(?!')|$)/g;

function splitQuoted(raw: string): ReturnType<typeof splitPlaceholders> {
  const parts: ReturnType<typeof splitPlaceholders> = [];
  let end = 0;
  for (const { 0: text, index } of raw.matchAll(QUOTED)) {
    if (text === "''") continue;
    parts.push(...splitPlaceholders(raw.slice(end, index)), { text, isPlaceholder: true });
    end = index + text.length;
  }
  return [...parts, ...splitPlaceholders(raw.slice(end))];
}

/** Divides a text at the characters that have a meaning in this syntax. */
function splitCharacters(text: string, { isHtml: html, isMessage }: Syntax, standIn: string): string[] {
  if (!html && !isMessage) return [text];
  const special = new RegExp(`([${isMessage ? `#{}${standIn}` : ''}${html ? '<>&' : ''}])`);
  return text.split(special).filter((part) => part !== '');
}
