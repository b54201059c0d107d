import { positionsIn } from '../../../contract/text-position.ts';
import { decodeFile, fileError } from '../decode.ts';
import { type Span, spanCodec } from './span-file.ts';

/** White space and comments. */
const GAP = /(?:\s+|\/\*.*?\*\/|\/\/[^\r\n]*)*/sy;
/** A comment that stands right before an entry. */
const COMMENT = /(?:\/\*(?:(?!\*\/).)*\*\/|\/\/[^\r\n]*)[ \t]*(?:\r\n?|\n)?[ \t]*$/s;
/** An entry: a key, which needs quotes only for some characters, and a text in quotes. */
const ENTRY = /("[^"\\]*(?:\\.[^"\\]*)*"|[\w.$/:-]+)(?:\s*=\s*("[^"\\]*(?:\\.[^"\\]*)*"|[\w.$/:-]+))?\s*;/sy;

/**
 * The texts of a `.strings` file of iOS or macOS. The custom id of a text is its key, and its notes are the comment
 * before it.
 */
export const appleStrings = spanCodec((bytes) => {
  const file = decodeFile(bytes);
  const { text } = file;
  const spans: Span[] = [];
  for (let at = 0; ; ) {
    const gap = matchAt(GAP, text, at)?.[0] ?? '';
    at += gap.length;
    if (at === text.length) return { file, spans };
    const [entry, key = '', given] = matchAt(ENTRY, text, at) ?? [];
    if (entry === undefined) {
      const { line, column } = positionsIn(text)(at);
      throw fileError('syntax', 'Here must be an entry of the form "key" = "text";', line, column);
    }
    // A key without a text is its own text.
    const value = given ?? key;
    const content = unquote(value);
    const start = at + entry.lastIndexOf(value);
    if (content.trim() !== '') {
      const write = (translation: string) => `${given === undefined ? `${key} = ` : ''}${quote(translation)}`;
      const notes = COMMENT.exec(gap)?.[0].replace(/^\/[/*]\s*|\s*(?:\*\/\s*)?$/g, '') || undefined;
      spans.push({ start, end: start + value.length, customId: unquote(key), content, notes, write });
    }
    at += entry.length;
  }
});

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
