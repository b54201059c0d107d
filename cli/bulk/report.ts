import * as z from 'zod/mini';
import type { LineFailed, LineResult } from '../../lib/doors/workflow/bulk-line.ts';
import { Progress, type Terminal } from './progress.ts';
import { Tally } from './tally.ts';

/** The part of a problem that is for people. */
const Cause = z.object({
  detail: z.string(),
  errors: z.optional(z.array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))),
  faults: z.optional(z.number()),
});

/** Where a report goes. */
export interface ReportTo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Where it can be drawn how far it is. */
  readonly terminal?: Terminal | undefined;
  /** Takes every result as a line of JSON. */
  readonly results?: ((line: string) => void) | undefined;
}

/** Tells how a run goes: every failure when it is known, how far it is meanwhile, and a summary at its end. */
export class Report {
  readonly #to: ReportTo;
  readonly #progress: Progress;
  readonly #tally = new Tally();

  /** @param entries how many there are */
  constructor(to: ReportTo, entries: number) {
    this.#to = to;
    this.#progress = new Progress(to, entries);
  }

  get tally(): Tally {
    return this.#tally;
  }

  add(result: LineResult): void {
    this.#tally.add(result);
    this.#to.results?.(`${JSON.stringify(shown(result))}\n`);
    if (result.outcome === 'failed') this.#progress.interrupt(failureText(result));
    this.#progress.show(this.#tally);
  }

  end(): void {
    this.#progress.end();
    this.#to.out(this.#tally.summary());
  }
}

/** A failure's cause is JSON in JSON where Step Functions tells it; here it is the problem. */
function shown(result: LineResult): unknown {
  if (result.outcome !== 'failed') return result;
  const { cause, ...rest } = result;
  return { ...rest, problem: JSON.parse(cause) };
}

/** What is wrong with an entry: a line for the failure, and one for every fault. */
function failureText({ line, failure, cause }: LineFailed): string {
  const { detail, errors = [], faults = errors.length } = Cause.parse(JSON.parse(cause));
  const more = faults > errors.length ? [`  and ${faults - errors.length} faults more`] : [];
  return [
    `line ${line}: ${failure}  ${detail}`,
    ...errors.map((fault) => `  ${fault.pointer || '/'} ${fault.code}: ${fault.detail}`),
    ...more,
  ]
    .map((text) => `${text}\n`)
    .join('');
}
