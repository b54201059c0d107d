import * as z from 'zod/mini';
import type { LineDone, LineFailed } from '../../lib/workflow/bulk/bulk-line.ts';
import { type CliIo, escapeControls, tryParseJson } from '../io.ts';
import { type Counts, Progress } from './progress.ts';

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
