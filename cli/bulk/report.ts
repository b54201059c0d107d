import * as z from 'zod/mini';
import type { LineDone, LineFailed } from '../../lib/workflow/bulk/run-line.ts';
import { type CliIo, escapeControls, type Terminal, tryParseJson } from '../io.ts';

type Outcome = LineDone['outcome'];

/** A failed line. A failure that Lambda or Step Functions reports by itself has a cause that is not a problem. */
export type ReportedFailure = Omit<LineFailed, 'failure'> & { readonly failure: string };

/** The result of a line, as far as the report shows it. */
export type ReportedResult =
  | ReportedFailure
  | (Pick<LineDone, 'entry' | 'line' | 'replayed'> & { readonly outcome: Outcome });

/** In the order of the summary. It always shows the first two, and the others if there are any. */
export const OUTCOMES = [
  'created',
  'deleted',
  'already-absent',
  'deleted-since',
  'archived',
  'pending',
  'valid',
] as const satisfies readonly Outcome[];

/** Where a report is written. */
export interface ReportTarget extends Pick<CliIo, 'out' | 'err' | 'terminal'> {
  /** Receives every result as a line of JSON. */
  readonly results?: ((line: string) => void) | undefined;
}

/** Reports a run: every failure at once, the progress meanwhile, and a summary at the end. */
export class Report {
  readonly #target: ReportTarget;
  readonly #validateOnly: boolean;
  readonly #progress: Progress;
  /** Lines of this run by outcome, without those that were done before. */
  readonly #outcomes = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  #doneBefore = 0;
  #ended = 0;
  #failed = 0;

  constructor(target: ReportTarget, { entries, validateOnly }: { entries: number; validateOnly: boolean }) {
    this.#target = target;
    this.#validateOnly = validateOnly;
    this.#progress = new Progress(target, entries);
  }

  get failed(): number {
    return this.#failed;
  }

  add(result: ReportedResult): void {
    this.#ended++;
    if (result.outcome === 'failed') {
      this.#failed++;
      increment(this.#failures, result.failure);
      this.#progress.interrupt(formatFailure(result));
    } else if (result.replayed) this.#doneBefore++;
    else increment(this.#outcomes, result.outcome);
    this.showProgress({ ended: this.#ended, failed: this.#failed });
    // Last, because it may throw: the failure is printed anyway.
    this.#target.results?.(`${JSON.stringify(withProblem(result))}\n`);
  }

  /** Shows progress before the results are known. */
  showProgress(counts: Counts): void {
    this.#progress.show(counts);
  }

  /** Prints a line of counts, and a line for each kind of failure. */
  end(): void {
    this.#progress.clear();
    const always: readonly Outcome[] = this.#validateOnly ? ['valid'] : ['created', 'deleted'];
    const done = OUTCOMES.flatMap((outcome) => {
      const count = this.#outcomes.get(outcome) ?? 0;
      return count > 0 || always.includes(outcome) ? [`${count} ${outcome.replace('-', ' ')}`] : [];
    });
    const counts = [...done, `${this.#doneBefore} already done`, `${this.#failed} failed`].join(', ');
    // Lines end in any order, so equal counts are sorted by name.
    const failures = [...this.#failures].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
    for (const line of [counts, ...failures.map(([name, count]) => `${name}  ${count}`)]) this.#target.out(`${line}\n`);
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Replaces the cause of a failure, which is JSON in a string, by the problem. */
function withProblem(result: ReportedResult): unknown {
  if (result.outcome !== 'failed') return result;
  const { cause, ...rest } = result;
  return { ...rest, problem: tryParseJson(cause) ?? null };
}

/** The part of a problem that is for people. */
const Cause = z.object({
  detail: z.string(),
  errors: z.optional(z.array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))),
  faults: z.optional(z.number()),
});

const NO_PROBLEM: z.infer<typeof Cause> = { detail: 'It ended without an answer.' };

/** A line for the failure, and one for each fault. Line feeds in names are escaped, so they cannot forge a line. */
function formatFailure({ line, failure, cause }: ReportedFailure): string {
  const { detail, errors = [], faults = errors.length } = Cause.safeParse(tryParseJson(cause)).data ?? NO_PROBLEM;
  return [
    `line ${line}: ${failure}  ${detail}`,
    ...errors.map((fault) => `  ${fault.pointer || '/'} ${fault.code}: ${fault.detail}`),
    ...(faults > errors.length ? [`  and ${faults - errors.length} more faults`] : []),
  ]
    .map((text) => `${escapeControls(text)}\n`)
    .join('');
}

/** How many entries have ended, and how many of them failed. */
export interface Counts {
  readonly ended: number;
  readonly failed: number;
}

const REDRAW_MS = 100;
const BAR_CELLS = 30;
const CLEAR_LINE = '\r\x1b[K';
/** Without a terminal, a run reports its progress in this many lines. */
const LINES = 10;
const DEFAULT_COLUMNS = 80;

/** Shows the progress of a run: as a bar on a terminal, as a few lines elsewhere. */
export class Progress {
  readonly #err: (text: string) => void;
  readonly #terminal: Terminal | undefined;
  readonly #entries: number;
  readonly #beganMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;
  #linesWritten = 0;

  constructor({ err, terminal }: Pick<CliIo, 'err' | 'terminal'>, entries: number) {
    this.#err = err;
    this.#terminal = terminal;
    this.#entries = entries;
  }

  show(counts: Counts): void {
    const { ended } = counts;
    if (this.#terminal) {
      const nowMs = performance.now();
      if (nowMs - this.#drawnMs < REDRAW_MS && ended < this.#entries) return;
      this.#drawnMs = nowMs;
      this.#terminal.write(CLEAR_LINE + this.#lineOf(counts, this.#terminal.columns || DEFAULT_COLUMNS));
      return;
    }
    const lines = Math.floor((ended * LINES) / this.#entries);
    if (lines <= this.#linesWritten) return;
    this.#linesWritten = lines;
    this.#err(`${this.#figures(counts)}\n`);
  }

  /** Prints text above the bar. */
  interrupt(text: string): void {
    this.clear();
    this.#err(text);
  }

  /** Removes the bar. */
  clear(): void {
    if (!this.#terminal) return;
    this.#terminal.write(CLEAR_LINE);
    this.#drawnMs = Number.NEGATIVE_INFINITY;
  }

  /** The longest line that fits: one that wraps cannot be drawn over. It is ASCII, one cell for each character. */
  #lineOf(counts: Counts, columns: number): string {
    const figures = this.#figures(counts);
    const [percent = ''] = figures.split(':');
    const filled = Math.floor((counts.ended * BAR_CELLS) / this.#entries);
    const bar = `[${'#'.repeat(filled).padEnd(BAR_CELLS, '.')}]`;
    const perSecond = (counts.ended * 1_000) / (performance.now() - this.#beganMs);
    const candidates = [`${bar} ${figures}, ${perSecond.toFixed(0)} a second`, `${bar} ${figures}`, figures, percent];
    return candidates.find((line) => line.length < columns) ?? '';
  }

  #figures({ ended, failed }: Counts): string {
    const percent = Math.floor((ended * 100) / this.#entries);
    return `${percent} %: ${ended} of ${this.#entries} entries, ${failed} failed`;
  }
}
