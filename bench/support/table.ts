/** A measured value of Segue, with its floor: the value of the least work that any implementation has to do. */
export interface Row {
  readonly what: string;
  readonly unit: 'ms' | '/s';
  readonly floor: number;
  readonly segue: number;
  /**
   * The target: the accepted ratio of Segue's value to the floor, or the accepted difference from the floor in
   * milliseconds.
   */
  readonly target?: Target | undefined;
}

export type Target = { readonly atMost: number } | { readonly atLeast: number } | { readonly addsAtMost: number };

export function meetsTarget(row: Row): boolean {
  const { target } = row;
  if (!target) return true;
  if ('addsAtMost' in target) return row.segue - row.floor <= target.addsAtMost;
  return 'atMost' in target ? ratioOf(row) <= target.atMost : ratioOf(row) >= target.atLeast;
}

/** Returns a Markdown table of Segue's values beside their floors. */
export function ratioTable(rows: readonly Row[]): string {
  return markdownTable(
    ['what', 'floor', 'Segue', 'ratio', 'target', ''],
    rows.map((row) => [
      row.what,
      quantity(row.floor, row.unit),
      quantity(row.segue, row.unit),
      ratioOf(row).toFixed(2),
      targetText(row.target),
      row.target ? (meetsTarget(row) ? 'ok' : 'miss') : '',
    ]),
  );
}

/** Returns a Markdown table whose first column is text, and whose other columns are figures. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = header.map((_, column) => (column === 0 ? '---' : '--:'));
  return [header, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function ratioOf({ floor, segue }: Row): number {
  return segue / floor;
}

function targetText(target: Target | undefined): string {
  if (!target) return '';
  if ('addsAtMost' in target) return `≤ +${Number(target.addsAtMost.toFixed(1))} ms`;
  return 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
}

function quantity(value: number, unit: Row['unit']): string {
  return unit === 'ms' ? `${value.toFixed(value < 10 ? 2 : 1)} ms` : `${value.toFixed(0)}/s`;
}
