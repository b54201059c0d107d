import {
  COLUMN_NAMES,
  columnInLanguage,
  columnNamed,
  decodeTable,
  quoteCell,
  type Row,
  readTable,
  type Table,
} from '../csv-table.ts';
import { fileError } from '../decode.ts';
import { type Span, type SpanLanguages, spanCodec } from './span-file.ts';

/**
 * Texts in CSV with a header row. The column of the texts is named by the source language, or `source` or alike. If
 * there is a column for the target language, translations go there; otherwise they replace the texts.
 */
export const csvTexts = spanCodec((bytes, languages) => {
  const file = decodeTable(bytes);
  const table = readTable(file.text);
  const columns = columnsOf(table, languages);
  return { file, spans: table.rows.flatMap((row) => spanOf(row, columns, file.text, table.delimiter) ?? []) };
});

/** The largest number of a column for translations, because rows that end before it are filled up. */
const MAX_COLUMN = 1_000;

/** The numbers of the columns; -1 for one that the table lacks. */
type Columns = Readonly<Record<keyof typeof COLUMN_NAMES, number>>;

function columnsOf(table: Table, { source, target }: SpanLanguages): Columns {
  const first = (...columns: number[]) => columns.find((column) => column >= 0) ?? -1;
  const text = first(columnInLanguage(table, source), columnNamed(table, 'text'));
  if (text < 0) {
    const detail = `The header row needs a column with the texts, named by the source language or ${COLUMN_NAMES.text.join(', ')}.`;
    throw fileError('missing-column', detail);
  }
  const translation = first(columnInLanguage(table, target), columnNamed(table, 'translation'));
  if (translation >= MAX_COLUMN) {
    throw fileError('too-large', `The column of the translations must be one of the first ${MAX_COLUMN}.`);
  }
  return { text, translation, key: columnNamed(table, 'key'), notes: columnNamed(table, 'notes') };
}

function spanOf({ cells }: Row, columns: Columns, text: string, delimiter: string): Span | undefined {
  const cell = cells[columns.text];
  if (!cell || cell.text.trim() === '') return undefined;
  const { start, end, text: content } = cell;
  const last = cells.at(-1) ?? cell;
  // A row may end before the column of translations.
  const missing = Math.max(0, columns.translation - cells.length + 1);
  const translated = columns.translation < 0 ? undefined : cells[columns.translation];
  const target = translated ?? { start: last.end, end: last.end, text: '' };
  const isQuoted = text.charAt(translated?.start ?? start) === '"';
  return {
    start,
    end,
    customId: cells[columns.key]?.text || undefined,
    content,
    notes: cells[columns.notes]?.text || undefined,
    target: columns.translation < 0 ? undefined : { start: target.start, end: target.end, content: target.text },
    write: (translation) =>
      delimiter.repeat(missing) + (isQuoted ? `"${translation.replaceAll('"', '""')}"` : quoteCell(translation)),
  };
}
