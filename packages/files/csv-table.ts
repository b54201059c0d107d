import { type DecodedFile, decodeFile, fileError } from './decode.ts';
import { mayMean } from './translation-file.ts';

/** A cell of a CSV text. Positions are indices of the text, and include the quotes. */
export interface Cell {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A row of a CSV text. */
export interface Row {
  /** The line on which the row starts, from 1. */
  readonly line: number;
  readonly cells: readonly Cell[];
}

/** A CSV text. */
export interface Table {
  readonly delimiter: string;
  /** The names in the header row. */
  readonly names: readonly string[];
  /** The rows below the header row. */
  readonly rows: readonly Row[];
}

/** The delimiters that are read. Spreadsheets of many countries write semicolons. */
const DELIMITERS = [',', ';', '\t'] as const;

/** The names of columns in files of other programs, in lower case. */
export const COLUMN_NAMES = {
  text: ['source', 'text', 'content', 'value', 'string', 'message'],
  translation: ['target', 'translation'],
  key: ['customid', 'key', 'id', 'name', 'identifier'],
  notes: ['notes', 'note', 'comment', 'comments', 'context', 'description'],
} as const;

/** Returns the index of the first column with one of the names of a kind; -1 if there is none. */
export function columnNamed({ names }: Pick<Table, 'names'>, kind: keyof typeof COLUMN_NAMES): number {
  return names.findIndex((name) => COLUMN_NAMES[kind].some((each) => each === name.toLowerCase()));
}

/** Returns the index of the first column that is named by a language; -1 if there is none. */
export function columnInLanguage({ names }: Pick<Table, 'names'>, code: string | undefined): number {
  return code === undefined ? -1 : names.findIndex((name) => name !== '' && mayMean(name, code));
}

/** Decodes a CSV file. @throws {TranslationFileError} as `decodeFile` does, and says how a spreadsheet writes UTF-8 */
export function decodeTable(file: Uint8Array | string): DecodedFile {
  return decodeFile(file, undefined, 'Save it as UTF-8: in Excel, as "CSV UTF-8 (Comma delimited)".');
}

/** Reads a CSV text (RFC 4180) with a header row. @throws {TranslationFileError} if it is not CSV */
export function readTable(text: string): Table {
  const firstLine = /[^\r\n]*/.exec(text)?.[0] ?? '';
  const delimiter = DELIMITERS.find((each) => firstLine.includes(each)) ?? ',';
  const [header, ...rows] = rowsOf(text, delimiter);
  return { delimiter, names: header?.cells.map((cell) => cell.text.trim()) ?? [], rows };
}

/** Writes a cell, in quotes if it needs them. */
export function quoteCell(text: string): string {
  return /[",;\r\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Divides a CSV text into rows. @throws {TranslationFileError} if a quoted cell does not end as it should */
function rowsOf(text: string, delimiter: string): Row[] {
  const rows: Row[] = [];
  const unquoted = new RegExp(`[^${delimiter}\\r\\n]*`, 'y');
  const lineEnd = /\r\n?|\n/y;
  let cells: Cell[] = [];
  let rowLine = 1;
  let line = 1;
  for (let at = 0; ; ) {
    unquoted.lastIndex = at;
    const isQuoted = text.charAt(at) === '"';
    const end = isQuoted ? endOfQuoted(text, at) : at + (unquoted.exec(text)?.[0].length ?? 0);
    if (end === undefined) throw fileError('syntax', 'The quoted cell does not end.', line);
    const content = isQuoted ? text.slice(at + 1, end - 1) : text.slice(at, end);
    cells.push({ text: isQuoted ? content.replaceAll('""', '"') : content, start: at, end });
    line += isQuoted ? (content.match(/\r\n?|\n/g)?.length ?? 0) : 0;
    at = end;
    if (text.startsWith(delimiter, at)) {
      at++;
      continue;
    }
    lineEnd.lastIndex = at;
    const [ending = ''] = lineEnd.exec(text) ?? [];
    if (ending === '' && at < text.length) {
      throw fileError('syntax', 'A quoted cell must end before a delimiter or the end of the row.', line);
    }
    rows.push({ line: rowLine, cells });
    at += ending.length;
    line++;
    if (at >= text.length) return rows;
    [rowLine, cells] = [line, []];
  }
}

/** Returns the index after the quote that ends a cell. Two quotes in the cell stand for one. */
function endOfQuoted(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text.charAt(at + 1) !== '"') return at + 1;
  }
  return undefined;
}
