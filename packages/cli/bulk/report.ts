import * as z from 'zod/mini';
import { countOf } from '../../../lib/contract/count.ts';
import { fieldsOf } from '../../../lib/contract/pointer.ts';
import { failureName } from '../../../lib/contract/problems.ts';
import { PROJECT_FIELDS } from '../../../lib/service/command.ts';
import type { OutdatedPut } from '../../../lib/service/put.ts';
import type { LineDone, LineFailed } from '../../../lib/workflow/bulk/run-line.ts';
import { formatProblemFaults } from '../faults-in-file.ts';
import { type CliIo, escapeControls, tryParseJson } from '../io.ts';
import type { ProgressLine } from '../progress-line.ts';

type Outcome = LineDone['outcome'];

/**
 * The result of a line that failed. `cause` is a problem as JSON. But if Lambda or Step Functions reported the failure
 * instead of Segue, such as a timeout, `failure` is their error name and `cause` is not a problem.
 */
export type ReportedFailure = Omit<LineFailed, 'failure'> & { readonly failure: string };

/** The fields of a line's result that the report shows. */
export type ReportedResult =
  | ReportedFailure
  | (Pick<LineDone, 'entry' | 'line' | 'replayed'> & {
      readonly outcome: Outcome;
      /** Of a checked line: how many characters an engine would get for its project. */
      readonly create?: EngineCharacters | undefined;
      readonly put?: EngineCharacters | OutdatedPut | undefined;
    });

interface EngineCharacters {
  readonly automaticCharacters?: number | undefined;
}

/**
 * The outcomes, in the order of the summary. The summary leaves out counts of 0, but it always shows `valid` for a run
 * that only checks lines, and `created` and `deleted` for any other run.
 */
export const OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'outdated',
  'deleted',
  'already-absent',
  'already-newer',
  'deleted-since',
  'archived',
  'pending',
  'valid',
] as const satisfies readonly Outcome[];

/** How many entries have ended, and how many of these failed. */
export interface Counts {
  readonly ended: number;
  readonly failed: number;
}

/** How many lines of progress a run prints if standard error is no terminal. */
const PROGRESS_LINES = 10;

/** The places to which a report is written. */
export interface ReportTarget extends Pick<CliIo, 'err'> {
  readonly progress: ProgressLine;
  /** Prints a result: the text, or with `--json` the value. */
  print(value: unknown, text: string): void;
  /** Receives the result of each line, as one line of JSON. */
  readonly results?: ((line: string) => void) | undefined;
}

/** The run that a report is about. */
export interface ReportedRun {
  /** The path of the manifest. */
  readonly path: string;
  /** The number of entries in the manifest. */
  readonly entries: number;
  readonly validateOnly: boolean;
}

/** The report of a run: each failure as soon as it happens, the progress, and a summary at the end. */
export class Report {
  readonly #target: ReportTarget;
  readonly #path: string;
  readonly #entries: number;
  readonly #validateOnly: boolean;
  /** How many lines had each outcome in this run. Lines that an earlier run had completed are not counted. */
  readonly #outcomes = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  #doneBefore = 0;
  #ended = 0;
  #failed = 0;
  #linesWritten = 0;
  /** How many characters an engine would get for the checked lines. */
  #automaticCharacters = 0;

  constructor(target: ReportTarget, { path, entries, validateOnly }: ReportedRun) {
    this.#target = target;
    this.#path = path;
    this.#entries = entries;
    this.#validateOnly = validateOnly;
  }

  get failed(): number {
    return this.#failed;
  }

  /** @param text the text of a failed line, if its faults are to be shown in it */
  add(result: ReportedResult, text?: string): void {
    this.#ended++;
    if (result.outcome === 'failed') {
      this.#failed++;
      increment(this.#failures, result.failure);
      this.#target.err(formatFailure(result, { path: this.#path, text }));
    } else if (result.replayed) this.#doneBefore++;
    else {
      increment(this.#outcomes, result.outcome);
      this.#automaticCharacters += automaticCharactersOf(result);
    }
    this.showProgress({ ended: this.#ended, failed: this.#failed });
    // The result is written last, because the writing may throw. The failure has been printed by then.
    this.#target.results?.(`${JSON.stringify(withProblem(result))}\n`);
  }

  /**
   * Shows the progress of the run. A terminal shows one line that is redrawn. Otherwise at most ten lines are printed.
   */
  showProgress({ ended, failed }: Counts): void {
    const { progress, err } = this.#target;
    const text = `${Math.floor((ended * 100) / this.#entries)} %: ${ended} of ${this.#entries} entries, ${failed} failed`;
    if (progress.isShown) progress.show(text, { isLast: ended === this.#entries });
    else {
      const lines = Math.floor((ended * PROGRESS_LINES) / this.#entries);
      if (lines > this.#linesWritten) err(`${text}\n`);
      this.#linesWritten = Math.max(lines, this.#linesWritten);
    }
  }

  /** Prints the summary: the counts of the run in one line, and one line for each kind of failure. */
  end(): void {
    const always: readonly Outcome[] = this.#validateOnly ? ['valid'] : ['created', 'deleted'];
    const done = OUTCOMES.flatMap((outcome) => {
      const count = this.#outcomes.get(outcome) ?? 0;
      return count > 0 || always.includes(outcome) ? [`${count} ${outcome.replace('-', ' ')}`] : [];
    });
    const counts = [...done, `${this.#doneBefore} already done`, `${this.#failed} failed`].join(', ');
    // Lines end in any order, so kinds of failure with equal counts are sorted by name.
    const failures = [...this.#failures].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
    const automatic = this.#automaticCharacters;
    const quoted = automatic > 0 ? [`Automatic translation: ${countOf(automatic, 'character')}`] : [];
    const lines = [counts, ...quoted, ...failures.map(([name, count]) => `${name}  ${count}`)];
    const summary = {
      outcomes: Object.fromEntries(this.#outcomes),
      alreadyDone: this.#doneBefore,
      failed: this.#failed,
      failures: Object.fromEntries(failures),
      ...(this.#validateOnly && { automaticCharacters: automatic }),
    };
    this.#target.print(summary, lines.map((line) => `${line}\n`).join(''));
  }
}

function automaticCharactersOf({ create, put = {} }: Exclude<ReportedResult, ReportedFailure>): number {
  const ofPut = 'automaticCharacters' in put ? put.automaticCharacters : undefined;
  return create?.automaticCharacters ?? ofPut ?? 0;
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Replaces a failure's cause, which is JSON in a text, by the problem that the JSON contains. */
function withProblem(result: ReportedResult): unknown {
  if (result.outcome !== 'failed') return result;
  const { cause, ...rest } = result;
  return { ...rest, problem: tryParseJson(cause) ?? null };
}

/** The fields of a problem that are printed for the user. */
const Cause = z.object({
  detail: z.string(),
  errors: z.optional(z.array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))),
  faults: z.optional(z.number()),
});

/** Returns the name of the field of a line that contains the project. */
function projectField(text: string | undefined): string {
  const line = text === undefined ? undefined : fieldsOf(tryParseJson(text));
  return PROJECT_FIELDS.find((name) => line && name in line) ?? 'create';
}

/** The failures whose pointers begin at the line. The pointers of other failures begin at the project in the line. */
const LINE_FAILURES: readonly string[] = [failureName('malformed-json'), failureName('invalid-parameter')];

const NO_PROBLEM: z.infer<typeof Cause> = { detail: 'The line ended without an answer.' };

/**
 * Formats a failed line: one line for the failure, and the place of each fault in the text of the line. Line feeds in
 * names are escaped, so that a name cannot fake a line.
 */
function formatFailure(
  { line, failure, cause }: ReportedFailure,
  { path, text }: { readonly path: string; readonly text: string | undefined },
): string {
  const { detail, errors = [], faults = errors.length } = Cause.safeParse(tryParseJson(cause)).data ?? NO_PROBLEM;
  const base = LINE_FAILURES.includes(failure) ? '' : `/${projectField(text)}`;
  const left = faults - errors.length;
  return [
    `${escapeControls(`line ${line}: ${failure}  ${detail}`)}\n`,
    formatProblemFaults({ path, text, firstLine: line }, errors, { whole: 'the command', base, indent: '  ' }),
    left > 0 ? `  and ${left} more faults\n` : '',
  ].join('');
}
