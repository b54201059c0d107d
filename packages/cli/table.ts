import { escapeControls } from './io.ts';

/** The columns of a table: the heading, and the value of a row in this column. Values that are absent stay empty. */
export type Columns<T> = Readonly<Record<string, (row: T) => string | number | null | undefined>>;

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

/**
 * Prints the rows of entries below headings.
 * @returns the number of rows; without rows, nothing is printed
 */
export async function printTable<T, Row>(
  entries: AsyncIterable<T> | Iterable<T>,
  rowsOf: (entry: T) => readonly Row[],
  columns: Columns<Row>,
  { out, heading }: TableOutput,
): Promise<number> {
  const headings = Object.keys(columns);
  const cells = (row: Row) => Object.values(columns).map((cellOf) => escapeControls(String(cellOf(row) ?? '')));
  const measured: string[][] = [];
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
      if (widths) out(lineOf(cells(row), widths));
      else if (measured.push(cells(row)) === MEASURED_ROWS) begin();
    }
  }
  if (!widths && count > 0) begin();
  return count;
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return `${padded.join(GAP).trimEnd()}\n`;
}
