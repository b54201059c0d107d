import { median } from './statistics.ts';
import { markdownTable } from './table.ts';

/** A measured value in the output of a benchmark. */
export interface Figure {
  /** The row and the column of its table. */
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

/** The units of figures, and whether more is better. */
const UNITS: Readonly<Record<string, boolean>> = { ms: false, kB: false, '/s': true };
/** The rows and columns that do not measure Segue. */
const FLOORS = ['floor', 'empty handler'];
/** By which factor a figure may be worse. */
const ACCEPTED = 1.03;

/**
 * Reads the figures of Segue in the Markdown tables that a benchmark prints. Tables are what every commit prints, so any
 * two can be compared.
 */
export function figuresIn(output: string): Figure[] {
  const figures = new Map<string, Figure>();
  let header: readonly string[] | undefined;
  for (const line of output.split('\n')) {
    if (!line.startsWith('| ')) {
      header = undefined;
      continue;
    }
    const [row = '', ...cells] = line.slice(2, -2).split(' | ');
    if (!header) header = cells;
    else if (!FLOORS.includes(row)) {
      for (const [index, cell] of cells.entries()) {
        const column = header[index] ?? '';
        const [, value, unit] = /^(\d[\d.]*) ?(\D+)$/.exec(cell) ?? [];
        if (value === undefined || unit === undefined || !(unit in UNITS) || FLOORS.includes(column)) continue;
        // A table may have two columns of one name.
        let what = `${row}: ${column}`;
        while (figures.has(what)) what += ' (next)';
        figures.set(what, { what, value: Number(value), unit });
      }
    }
  }
  return [...figures.values()];
}

/** Two runs of a benchmark, one right after the other. */
export interface Pair {
  /** The figures of the other commit. */
  readonly other: readonly Figure[];
  readonly own: readonly Figure[];
}

/** A figure in all pairs. */
export interface Comparison {
  readonly what: string;
  readonly unit: string;
  /** The medians; `undefined` if a commit does not have the figure. */
  readonly other: number | undefined;
  readonly own: number | undefined;
  /** The figure here divided by that of the other commit: the median, the least and the greatest of all pairs. */
  readonly ratio?: { readonly median: number; readonly min: number; readonly max: number };
  /** `worse` and `better`: the median differs by more than 3 %, and every pair in the same direction. */
  readonly verdict: 'worse' | 'better' | 'only one' | '';
}

/** Compares the runs pair by pair, so that other load on the machine affects both sides of a ratio alike. */
export function compareRuns(pairs: readonly Pair[]): Comparison[] {
  const all = pairs.flatMap(({ other, own }) => [...own, ...other]);
  return [...new Map(all.map((figure) => [figure.what, figure.unit]))].map(([what, unit]) => {
    const values = pairs.map(({ other, own }) => [valueIn(other, what), valueIn(own, what)] as const);
    const others = values.flatMap(([other]) => other ?? []);
    const owns = values.flatMap(([, own]) => own ?? []);
    const ratios = values.flatMap(([other, own]) => (other && own ? own / other : []));
    const medians = { other: medianOf(others), own: medianOf(owns) };
    if (ratios.length === 0) return { what, unit, ...medians, verdict: others.length && owns.length ? '' : 'only one' };
    const ratio = { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
    return { what, unit, ...medians, ratio, verdict: verdictOf(ratio, UNITS[unit] ?? false) };
  });
}

function valueIn(figures: readonly Figure[], what: string): number | undefined {
  return figures.find((figure) => figure.what === what)?.value;
}

function medianOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : median(values);
}

function verdictOf(ratio: NonNullable<Comparison['ratio']>, isMoreBetter: boolean): Comparison['verdict'] {
  const isMore = ratio.median > ACCEPTED && ratio.min > 1;
  const isLess = ratio.median < 1 / ACCEPTED && ratio.max < 1;
  if (isMoreBetter ? isLess : isMore) return 'worse';
  return isMore || isLess ? 'better' : '';
}

/** Returns a Markdown table of all figures. */
export function comparisonTable(commit: string, comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ what, unit, other, own, ratio, verdict }) => [
    what,
    quantity(other, unit),
    quantity(own, unit),
    ratio?.median.toFixed(3) ?? '',
    ratio ? `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}` : '',
    verdict,
  ]);
  return markdownTable(['what', commit, 'here', 'ratio', 'min–max', ''], rows);
}

function quantity(value: number | undefined, unit: string): string {
  return value === undefined ? '–' : `${value.toFixed(value < 10 ? 2 : 1)}${unit === '/s' ? unit : ` ${unit}`}`;
}
