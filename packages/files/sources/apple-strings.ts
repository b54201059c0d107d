import { endOfQuoted } from '../../../lib/contract/quoted.ts';
import { positionsIn } from '../../../lib/contract/text-position.ts';
import { decodeFile, fileError } from '../decode.ts';
import { type Span, spanCodec } from './span-file.ts';

/** A run of white space, or a comment. */
const GAP = /\s+|\/\*.*?\*\/|\/\/[^\r\n]*/sy;
/** What may stand between a comment and its entry: one line break. */
const NEXT_LINE = /^[ \t]*(?:(?:\r\n?|\n)[ \t]*)?$/;
/** A key or text without quotes, which has only some characters. */
const WORD = /[\w.$/:-]+/y;
/** What stands between a key and its text, and after an entry. */
const EQUALS = /\s*=\s*/y;
const END = /\s*;/y;

/**
 * The texts of a `.strings` file of iOS or macOS. The custom id of a text is its key, and its notes are the comment
 * before it.
 */
export const appleStrings = spanCodec((bytes) => {
  const file = decodeFile(bytes);
  const { text } = file;
  const spans: Span[] = [];
  for (let at = 0; ; ) {
    const gap = gapAt(text, at);
    at = gap.end;
    if (at === text.length) return { file, spans };
    const keyEnd = endOfText(text, at);
    const equals = matchAt(EQUALS, text, keyEnd ?? at)?.[0] ?? '';
    // A key without a text is its own text.
    const isAlone = equals === '';
    const start = isAlone ? at : (keyEnd ?? at) + equals.length;
    const end = endOfText(text, start);
    const after = end === undefined ? null : matchAt(END, text, end);
    if (keyEnd === undefined || end === undefined || !after) {
      const { line, column } = positionsIn(text)(at);
      throw fileError('syntax', 'Here must be an entry of the form "key" = "text";', line, column);
    }
    const key = text.slice(at, keyEnd);
    const content = unquote(text.slice(start, end));
    if (content.trim() !== '') {
      const write = (translation: string) => `${isAlone ? `${key} = ` : ''}${quote(translation)}`;
      spans.push({ start, end, customId: unquote(key), content, notes: gap.notes, write });
    }
    at = end + after[0].length;
  }
});

/** Returns the index after a key or text. @returns `undefined` if there is none */
function endOfText(text: string, at: number): number | undefined {
  if (text.charAt(at) === '"') return endOfQuoted(text, at);
  const word = matchAt(WORD, text, at)?.[0];
  return word === undefined ? undefined : at + word.length;
}

/** Returns where the white space and comments at an index end, and the text of a comment that stands right before. */
function gapAt(text: string, from: number): { readonly end: number; readonly notes: string | undefined } {
  let [end, comment, after] = [from, '', ''];
  for (let part = matchAt(GAP, text, end)?.[0]; part; part = matchAt(GAP, text, end)?.[0]) {
    end += part.length;
    if (part.startsWith('/')) [comment, after] = [part, ''];
    else after = part;
  }
  const notes = comment.slice(2, comment.endsWith('*/') ? -2 : undefined).trim();
  return { end, notes: (NEXT_LINE.test(after) && notes) || undefined };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v' };

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  return text
    .slice(1, -1)
    .replace(
      /\\(?:[Uu]([\da-f]{4})|([0-7]{1,3})|(.))/gis,
      (_, hex: string | undefined, octal: string | undefined, character: string = '') => {
        if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
        if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
        return NAMED[character] ?? character;
      },
    );
}

function quote(text: string): string {
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll('\0', '\\U0000');
  return `"${escaped}"`;
}
