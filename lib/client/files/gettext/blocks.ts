import { po } from 'gettext-parser';
import * as z from 'zod/mini';
import { type FileFault, TranslationFileError } from '../file-fault.ts';

/** The lines of an entry of a gettext file, as numbers from 0. */
interface LineRange {
  readonly first: number;
  /** The first line that is no comment; -1 before one is found. */
  message: number;
  /** The first line of the first `msgstr`; -1 before it is found. */
  translation: number;
  /** The number after the last line. */
  end: number;
  /** How many `msgstr` it has. */
  forms: number;
}

/** An entry of a gettext file. */
export interface PoBlock extends Readonly<LineRange> {
  readonly msgctxt: string | undefined;
  readonly msgid: string;
  /** Absent for an entry without plural forms. */
  readonly msgidPlural: string | undefined;
  /** The texts of each `msgstr`. An entry without plural forms has one. */
  readonly msgstr: readonly string[];
  readonly isFuzzy: boolean;
  /** The comments that were extracted for translators, which begin with `#.`. */
  readonly extracted: string;
}

/** A gettext file as lines and entries. Obsolete entries count as comments. */
export interface PoFile {
  readonly lines: readonly string[];
  /** The end of the file's lines. */
  readonly eol: '\n' | '\r\n';
  /** The headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The entries without the header. */
  readonly blocks: readonly PoBlock[];
}

/** The fields of an entry of `gettext-parser` that are used. */
const Entry = z.object({
  msgctxt: z.optional(z.string()),
  msgid: z.string(),
  msgid_plural: z.optional(z.string()),
  msgstr: z.optional(z.array(z.string())),
  comments: z.optional(z.object({ flag: z.optional(z.string()), extracted: z.optional(z.string()) })),
});

const LINE =
  /^[ \t]*(?:(?<comment>#(?<obsolete>~)?.*)|(?:(?<key>msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)[ \t]*)?".*"[ \t]*|)$/s;
/** The largest number of plural forms of an entry. No language has more than a few, and joining them takes quadratic time. */
const MAX_FORMS = 100;

/**
 * Divides a gettext file into its entries. Each entry is parsed by itself, so that its lines are known.
 * @throws {TranslationFileError} with every line that is not gettext
 */
export function parsePo(text: string): PoFile {
  const lines = text.split(/\r?\n/);
  const all = rangesIn(lines).flatMap((range) => (range.message < 0 ? [] : [blockOf(lines, range)]));
  const header = all.find(({ msgid, msgctxt }) => msgid === '' && msgctxt === undefined);
  return {
    lines,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    headers: headersIn(header?.msgstr[0] ?? ''),
    blocks: all.filter((block) => block !== header),
  };
}

function rangesIn(lines: readonly string[]): LineRange[] {
  const faults: FileFault[] = [];
  const ranges: LineRange[] = [];
  let range: LineRange | undefined;
  for (const [index, line] of lines.entries()) {
    const groups = LINE.exec(line)?.groups;
    if (!groups) faults.push(faultOf(line, index + 1));
    const { comment, obsolete, key } = groups ?? {};
    if (!groups || obsolete !== undefined || line.trim() === '') continue;
    const isStart = key === 'msgctxt' || key === 'msgid' || comment !== undefined;
    if (!range || (isStart && range.translation >= 0)) {
      range = { first: index, message: -1, translation: -1, end: index, forms: 0 };
      ranges.push(range);
    }
    if (range.message < 0 && key !== undefined) range.message = index;
    if (key?.startsWith('msgstr')) {
      if (range.translation < 0) range.translation = index;
      range.forms++;
      if (range.forms === MAX_FORMS + 1) {
        const detail = `The entry has more than ${MAX_FORMS} translations.`;
        faults.push({ place: { line: index + 1 }, code: 'too-large', detail });
      }
    }
    range.end = index + 1;
  }
  if (faults.length > 0) throw new TranslationFileError(faults);
  return ranges;
}

/** Matches a line whose quote is not closed. */
const OPEN_QUOTE = /^(?<before>[ \t]*(?:(?:msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)[ \t]*)?)"(?:[^"\\]|\\.)*\\?$/;

function faultOf(text: string, line: number): FileFault {
  const before = OPEN_QUOTE.exec(text)?.groups?.['before'];
  if (before === undefined) return { place: { line }, code: 'syntax', detail: 'The line is not gettext.' };
  return { place: { line, column: before.length + 1 }, code: 'syntax', detail: 'The quote is not closed.' };
}

function blockOf(lines: readonly string[], range: LineRange): PoBlock {
  const { translations } = parseEntry(lines.slice(range.first, range.end).map(resolveEscapes).join('\n'), range);
  const [context] = Object.values(translations);
  const [entry] = Object.values(context ?? {});
  if (!entry || range.translation < 0) {
    const detail = 'The entry needs a msgid and a msgstr.';
    throw new TranslationFileError([{ place: { line: range.message + 1 }, code: 'syntax', detail }]);
  }
  const { msgctxt, msgid, msgid_plural, msgstr = [], comments = {} } = Entry.parse(entry);
  return {
    ...range,
    msgctxt,
    msgid,
    msgidPlural: msgid_plural,
    msgstr,
    isFuzzy: flagsIn(comments.flag ?? '').includes('fuzzy'),
    extracted: comments.extracted ?? '',
  };
}

function parseEntry(text: string, { message }: LineRange): ReturnType<typeof po.parse> {
  try {
    return po.parse(text);
  } catch {
    const detail = 'A text of the entry has a quote without a backslash.';
    throw new TranslationFileError([{ place: { line: message + 1 }, code: 'syntax', detail }]);
  }
}

/** Splits the flags of a comment. */
export function flagsIn(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((flag) => flag.trim())
    .filter(Boolean);
}

const NAMED: Readonly<Record<string, string>> = { a: '\u0007', b: '\b', f: '\f', v: '\v' };

/** Resolves the escapes of GNU gettext that `gettext-parser` does not know, such as `\v` and `\x1b`. */
function resolveEscapes(line: string): string {
  if (line.startsWith('#')) return line;
  return line.replace(
    /\\(?:([abfv])|x([\da-f]{1,2})|([0-7]{1,3})|.)/gi,
    (whole, name?: string, hex?: string, octal?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16);
      // Larger codes are bytes of the file's encoding, which only together are a character.
      if (Number.isNaN(code) || code > 0x7f) return whole;
      const character = String.fromCharCode(code);
      if (character === '\n') return '\\n';
      return character === '"' || character === '\\' ? `\\${character}` : character;
    },
  );
}

function headersIn(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\n').map((line) => /^([^:]+):(.*)$/.exec(line) ?? []);
  return new Map(pairs.map(([, name = '', value = '']) => [name.trim().toLowerCase(), value.trim()]));
}
