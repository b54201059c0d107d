import { escapeControls } from './io.ts';

/** The columns of a table: the heading, and the value of a row in this column. Values that are absent stay empty. */
type Columns<Row> = Readonly<Record<string, (row: Row) => string | number | null | undefined>>;

/** The entries of a list, which may arrive one after the other. */
export type Entries<T> = AsyncIterable<T> | Iterable<T>;

/** How the entries of a list are shown as a table. */
export interface Table<T> {
  readonly headings: readonly string[];
  /** Returns the cells of each row of an entry. */
  readonly rowsOf: (entry: T) => readonly (readonly string[])[];
  /** The line that is printed on standard error if there are no rows. */
  readonly empty: string;
}

/** Makes a table with a row for each entry. */
export function tableOf<T>(empty: string, columns: Columns<T>): Table<T> {
  return tableOfRows(empty, columns, (entry: T) => [entry]);
}

/** Makes a table with any number of rows for each entry. */
export function tableOfRows<T, Row>(
  empty: string,
  columns: Columns<Row>,
  rowsOf: (entry: T) => readonly Row[],
): Table<T> {
  const cellsOf = (row: Row) => Object.values(columns).map((cellOf) => escapeControls(String(cellOf(row) ?? '')));
  return { headings: Object.keys(columns), rowsOf: (entry) => rowsOf(entry).map(cellsOf), empty };
}

/** The rows whose widths decide the widths of the columns. The rest is printed as it arrives. */
const MEASURED_ROWS = 100;
/** A wider value moves the columns after it in its own row. The id of a delivery has 43 characters. */
const MAX_WIDTH = 44;
const GAP = '  ';

/** Where a table is printed. */
interface TableOutput {
  readonly out: (text: string) => void;
  /** Prints a heading, in bold on a terminal. */
  readonly heading: (text: string) => void;
}

/** Prints the rows of entries below headings. @returns the number of rows; without rows, nothing is printed */
export async function printTable<T>(
  entries: Entries<T>,
  { headings, rowsOf }: Table<T>,
  { out, heading }: TableOutput,
): Promise<number> {
  const measured: (readonly string[])[] = [];
  let widths: readonly number[] | undefined;
  let count = 0;
  const begin = () => {
    widths = headings.map((_, column) =>
      Math.min(MAX_WIDTH, Math.max(...[headings, ...measured].map((row) => row[column]?.length ?? 0))),
    );
    heading(lineOf(headings, widths));
    for (const row of measured) out(lineOf(row, widths));
  };
  for await (const entry of entries) {
    for (const row of rowsOf(entry)) {
      count += 1;
      if (widths) out(lineOf(row, widths));
      else if (measured.push(row) === MEASURED_ROWS) begin();
    }
  }
  if (!widths && count > 0) begin();
  return count;
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return `${padded.join(GAP).trimEnd()}\n`;
}
