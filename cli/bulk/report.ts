import * as z from 'zod/mini';
import type { LineDone, LineFailed } from '../../lib/workflow/bulk/run-line.ts';
import { type CliIo, escapeControls, tryParseJson } from '../io.ts';

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

/** How many entries have ended, and how many of them failed. */
export interface Counts {
  readonly ended: number;
  readonly failed: number;
}

const REDRAW_MS = 100;
const CLEAR_LINE = '\r\x1b[K';
/** Without a terminal, a run reports its progress in this many lines. */
const PROGRESS_LINES = 10;
const DEFAULT_COLUMNS = 80;

/** Where a report is written. */
export interface ReportTarget extends Pick<CliIo, 'out' | 'err' | 'terminal'> {
  /** Receives every result as a line of JSON. */
  readonly results?: ((line: string) => void) | undefined;
}

/** Reports a run: every failure at once, the progress meanwhile, and a summary at the end. */
export class Report {
  readonly #target: ReportTarget;
  readonly #entries: number;
  readonly #validateOnly: boolean;
  /** Lines of this run by outcome, without those that were done before. */
  readonly #outcomes = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  #doneBefore = 0;
  #ended = 0;
  #failed = 0;
  #drawnMs = Number.NEGATIVE_INFINITY;
  #linesWritten = 0;

  constructor(target: ReportTarget, { entries, validateOnly }: { entries: number; validateOnly: boolean }) {
    this.#target = target;
    this.#entries = entries;
    this.#validateOnly = validateOnly;
  }

  get failed(): number {
    return this.#failed;
  }

  add(result: ReportedResult): void {
    this.#ended++;
    if (result.outcome === 'failed') {
      this.#failed++;
      increment(this.#failures, result.failure);
      this.#clearProgress();
      this.#target.err(formatFailure(result));
    } else if (result.replayed) this.#doneBefore++;
    else increment(this.#outcomes, result.outcome);
    this.showProgress({ ended: this.#ended, failed: this.#failed });
    // Last, because it may throw: the failure is printed anyway.
    this.#target.results?.(`${JSON.stringify(withProblem(result))}\n`);
  }

  /** Shows the progress, also before the results are known: one line on a terminal is redrawn, elsewhere a few are printed. */
  showProgress({ ended, failed }: Counts): void {
    const { terminal, err } = this.#target;
    const text = `${Math.floor((ended * 100) / this.#entries)} %: ${ended} of ${this.#entries} entries, ${failed} failed`;
    if (terminal) {
      const nowMs = performance.now();
      if (nowMs - this.#drawnMs < REDRAW_MS && ended < this.#entries) return;
      this.#drawnMs = nowMs;
      // A line that wraps cannot be redrawn.
      terminal.write(CLEAR_LINE + text.slice(0, (terminal.columns || DEFAULT_COLUMNS) - 1));
    } else {
      const lines = Math.floor((ended * PROGRESS_LINES) / this.#entries);
      if (lines > this.#linesWritten) err(`${text}\n`);
      this.#linesWritten = Math.max(lines, this.#linesWritten);
    }
  }

  #clearProgress(): void {
    this.#target.terminal?.write(CLEAR_LINE);
    this.#drawnMs = Number.NEGATIVE_INFINITY;
  }

  /** Prints a line of counts, and a line for each kind of failure. */
  end(): void {
    this.#clearProgress();
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
