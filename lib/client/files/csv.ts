import { TRANSLATION_STATUSES } from '../../contract/translation-status.ts';
import { decodeFile, fileError } from './decode.ts';
import { type FileFault, TranslationFileError } from './file-fault.ts';
import { baseOf, type FileEntry, type ParsedFile, type TranslationFile, tagOf } from './translation-file.ts';

const COLUMNS = [
  'project',
  'language',
  'segment',
  'customId',
  'taskId',
  'source',
  'target',
  'status',
  'notes',
  'base',
] as const;
type Column = (typeof COLUMNS)[number];

/** The delimiters that are read. Spreadsheets of many countries write semicolons. */
const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Matches a cell that a spreadsheet may run as a formula, and a cell that is guarded already. Guarding puts an
 * apostrophe before it.
 */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/;
const GUARDED = /^'(?='*[=+\-@\t\r＝＋－＠])/;

/** Writes a CSV file (RFC 4180) with a header row. */
export function writeCsv({ project, languageCode, segments }: TranslationFile): string {
  const rows = segments.map(
    ({ id, customId = '', taskId = '', content, notes, translation }): Record<Column, string> => {
      const status = translation?.status ?? 'untranslated';
      return {
        project: String(project.id),
        language: tagOf(languageCode),
        segment: String(id),
        customId,
        taskId,
        source: content,
        target: translation?.content ?? '',
        status,
        notes: notes.join('\n'),
        base: baseOf(translation, status),
      };
    },
  );
  return [COLUMNS.join(), ...rows.map((row) => COLUMNS.map((column) => cell(row[column])).join()), ''].join('\r\n');
}

function cell(text: string): string {
  const guarded = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\r\n\t]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/** Reads a CSV file. @throws {TranslationFileError} if it is not CSV, or lacks a column */
export function readCsv(bytes: Uint8Array | string): ParsedFile {
  const { text } = decodeFile(bytes);
  const [firstLine = ''] = text.split(/[\r\n]/, 1);
  const delimiter = DELIMITERS.find((each) => firstLine.split(each).length > 1) ?? ',';
  const [header, ...rows] = rowsOf(text, delimiter);
  const names = header?.cells.map((name) => name.trim()) ?? [];
  requireColumns(names);
  const faults: FileFault[] = [];
  const entries = rows.flatMap((row) => {
    if (row.cells.every((text) => text.trim() === '')) return [];
    if (row.cells.length > names.length) {
      const detail = `The row has ${row.cells.length} cells, and the header row has ${names.length}.`;
      faults.push({ place: { line: row.line }, code: 'wrong-columns', detail });
      return [];
    }
    const cells = new Map(names.map((name, index) => [name, (row.cells[index] ?? '').replace(GUARDED, '')]));
    return [entryOf(cells, { line: row.line }, faults)];
  });
  const projects = new Set(rows.map(({ cells }) => cells[names.indexOf('project')] ?? '').filter(Boolean));
  const [project = '', ...others] = projects;
  if (others.length > 0) {
    faults.push({ place: { line: 1 }, code: 'wrong-project', detail: 'The rows belong to several projects.' });
  }
  return { projectId: /^[1-9]\d{0,15}$/.test(project) ? Number(project) : undefined, entries, faults };
}

function requireColumns(names: readonly string[]): void {
  const faults: FileFault[] = [['segment', 'customId'], ['target']]
    .filter((columns) => !columns.some((column) => names.includes(column)))
    .map((columns) => ({
      place: { line: 1 },
      code: 'missing-column',
      detail: `The header row needs the column ${columns.join(' or ')}.`,
    }));
  if (faults.length > 0) throw new TranslationFileError(faults);
}

function entryOf(cells: ReadonlyMap<string, string>, place: { line: number }, faults: FileFault[]): FileEntry {
  const textOf = (column: Column) => cells.get(column) || undefined;
  const segment = textOf('segment')?.trim();
  const customId = textOf('customId');
  const given = textOf('status')?.trim();
  const status = TRANSLATION_STATUSES.find((name) => name === given);
  if (segment !== undefined && !/^[1-9]\d{0,15}$/.test(segment)) {
    const detail = `The segment must be a number of digits only. A spreadsheet may have rounded it: ${segment.slice(0, 40)}`;
    faults.push({ place, code: 'missing-segment', detail });
  }
  if (given !== undefined && status === undefined) {
    const detail = `The status must be one of ${TRANSLATION_STATUSES.join(', ')}.`;
    faults.push({ place, code: 'unknown-status', detail });
  }
  return {
    place,
    ...(segment === undefined
      ? { customIds: customId === undefined ? [] : [customId] }
      : { segmentId: Number(segment) }),
    languageCode: textOf('language'),
    source: textOf('source'),
    content: textOf('target') ?? '',
    status,
    base: textOf('base'),
  };
}

interface Row {
  /** The line on which the row starts, from 1. */
  readonly line: number;
  readonly cells: string[];
}

/** Divides a CSV text into rows. @throws {TranslationFileError} if a quoted cell does not end as it should */
function rowsOf(text: string, delimiter: string): Row[] {
  const rows: Row[] = [];
  const unquoted = new RegExp(`[^${delimiter}\\r\\n]*`, 'y');
  const lineEnd = /\r\n?|\n/y;
  let row: Row = { line: 1, cells: [] };
  let line = 1;
  for (let at = 0; ; ) {
    unquoted.lastIndex = at;
    const isQuoted = text.charAt(at) === '"';
    const end = isQuoted ? endOfQuoted(text, at) : at + (unquoted.exec(text)?.[0].length ?? 0);
    if (end === undefined) throw fileError('syntax', 'The quoted cell does not end.', line);
    const cell = isQuoted ? text.slice(at + 1, end - 1) : text.slice(at, end);
    row.cells.push(isQuoted ? cell.replaceAll('""', '"') : cell);
    line += isQuoted ? (cell.match(/\r\n?|\n/g)?.length ?? 0) : 0;
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
    rows.push(row);
    at += ending.length;
    line++;
    if (at >= text.length) return rows;
    row = { line, cells: [] };
  }
}

/** Returns the index after the quote that ends a cell. Two quotes in the cell stand for one. */
function endOfQuoted(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text.charAt(at + 1) !== '"') return at + 1;
  }
  return undefined;
}
