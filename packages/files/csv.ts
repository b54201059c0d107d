import { TRANSLATION_STATUSES } from '../../lib/contract/translation-status.ts';
import {
  type Cell,
  COLUMN_NAMES,
  columnInLanguage,
  columnNamed,
  decodeTable,
  quoteCell,
  readTable,
} from './csv-table.ts';
import { type FileFault, TranslationFileError } from './file-fault.ts';
import {
  baseOf,
  type FileEntry,
  type ParsedFile,
  STATUS_EXPECTED,
  type TranslationFile,
  tagOf,
} from './translation-file.ts';

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

/**
 * Matches a text that a spreadsheet changes when it opens and saves a file: it runs a formula, and writes long numbers,
 * leading zeros, dates and the like in another way. Such a text is guarded by an apostrophe before it.
 */
const CHANGED = [
  /[=+\-@\t\r＝＋－＠][\s\S]*/,
  /(?!(?:0|[1-9]\d{0,10})$)(?=\D*\d)[\d\s.,:/%€$£¥()'+-]+/,
  /\d+(?:[.,]\d*)?E[+-]?\d+/,
  /(?=\D*\d)[\d\s.,/-]*(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[\d\s.,/-]*/,
  /true|false/,
];
const CHANGED_TEXT = `'*(?!')(?:${CHANGED.map(({ source }) => source).join('|')})$`;
const TO_GUARD = new RegExp(`^${CHANGED_TEXT}`, 'i');
const GUARDED = new RegExp(`^'(?=${CHANGED_TEXT})`, 'i');

/** An id that a spreadsheet has rounded, such as `2.33228E+14`. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;

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
  return quoteCell(TO_GUARD.test(text) ? `'${text}` : text);
}

/**
 * Reads a CSV file: an export, or a file of another program with a column of custom ids and one of translations.
 * @param languageCode the language that the column of translations may be named by
 * @throws {TranslationFileError} if it is not CSV, or lacks a column
 */
export function readCsv(bytes: Uint8Array | string, languageCode?: string): ParsedFile {
  const { names, rows } = readTable(decodeTable(bytes).text);
  const columns = columnsOf(names, languageCode);
  const faults: FileFault[] = [];
  const entries = rows.flatMap((row) => {
    if (row.cells.every(({ text }) => text.trim() === '')) return [];
    if (row.cells.length > names.length) {
      const detail = `The row has ${row.cells.length} cells, and the header row has ${names.length}.`;
      faults.push({ place: { line: row.line }, code: 'wrong-columns', detail });
      return [];
    }
    const cells = new Map([...columns].map(([name, index]) => [name, textOf(row.cells[index])]));
    return [entryOf(cells, { line: row.line }, faults)];
  });
  const projectColumn = names.indexOf('project');
  const projects = new Set(
    rows.map(({ cells }) => textOf(cells[projectColumn]).trim()).filter((id) => !ROUNDED.test(id)),
  );
  projects.delete('');
  const [project = '', ...others] = projects;
  if (others.length > 0) {
    faults.push({ place: { line: 1 }, code: 'wrong-project', detail: 'The rows belong to several projects.' });
  }
  return { projectId: /^[1-9]\d{0,15}$/.test(project) ? Number(project) : undefined, entries, faults };
}

/** Returns the text of a cell without its guard. */
function textOf(cell: Cell | undefined): string {
  return (cell?.text ?? '').replace(GUARDED, '');
}

/** Returns the index of each column; -1 for one that is missing. @throws {TranslationFileError} if it is needed */
function columnsOf(names: readonly string[], languageCode: string | undefined): ReadonlyMap<Column, number> {
  const isExport = names.includes('segment');
  const inLanguage = columnInLanguage({ names }, languageCode);
  const others: Readonly<Partial<Record<Column, number>>> = {
    customId: columnNamed({ names }, 'key'),
    source: columnNamed({ names }, 'text'),
    target: inLanguage >= 0 ? inLanguage : columnNamed({ names }, 'translation'),
  };
  const columns = new Map(
    COLUMNS.map((name) => {
      const index = names.lastIndexOf(name);
      return [name, index >= 0 || isExport ? index : (others[name] ?? -1)];
    }),
  );
  const faults = NEEDED.filter((needed) => needed.columns.every((column) => columns.get(column) === -1)).map(
    ({ detail }): FileFault => ({ place: { line: 1 }, code: 'missing-column', detail }),
  );
  if (faults.length > 0) throw new TranslationFileError(faults);
  return columns;
}

const NEEDED: readonly { readonly columns: readonly Column[]; readonly detail: string }[] = [
  {
    columns: ['segment', 'customId'],
    detail: `The header row needs the column segment or customId. The column of custom ids may also be named ${COLUMN_NAMES.key.slice(1).join(', ')}.`,
  },
  {
    columns: ['target'],
    detail:
      'The header row needs the column target. It may also be named translation, or by the language that you give.',
  },
];

function entryOf(cells: ReadonlyMap<Column, string>, place: { line: number }, faults: FileFault[]): FileEntry {
  const valueIn = (column: Column) => cells.get(column) || undefined;
  const segment = valueIn('segment')?.trim();
  const isRounded = ROUNDED.test(segment ?? '');
  const customId = valueIn('customId');
  const given = valueIn('status')?.trim();
  const status = TRANSLATION_STATUSES.find((name) => name === given);
  if (segment !== undefined && !isRounded && !/^[1-9]\d{0,15}$/.test(segment)) {
    const detail = `The segment must be a number of digits only: ${segment.slice(0, 40)}`;
    faults.push({ place, code: 'missing-segment', detail });
  }
  if (given !== undefined && status === undefined) {
    faults.push({ place, code: 'unknown-status', detail: STATUS_EXPECTED });
  }
  return {
    place,
    segmentId: segment === undefined || isRounded ? undefined : Number(segment),
    customIds: customId === undefined ? [] : [customId],
    isRounded,
    languageCode: valueIn('language'),
    source: valueIn('source'),
    content: valueIn('target') ?? '',
    status,
    base: valueIn('base'),
  };
}
