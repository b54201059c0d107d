import * as z from 'zod/mini';
import { visible } from '../visible.ts';
import { jsonIn } from './json-in.ts';
import { type Far, Progress, type Terminal } from './progress.ts';
import { Tally, type Told, type ToldFailure } from './tally.ts';

/** The part of a problem that is for people. */
const Cause = z.object({
  detail: z.string(),
  errors: z.optional(z.array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))),
  faults: z.optional(z.number()),
});

/** Of what Lambda or Step Functions say by themselves. */
const NO_PROBLEM: z.infer<typeof Cause> = { detail: 'It ended without an answer.' };

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
  readonly #tally: Tally;

  constructor(to: ReportTo, { entries, validateOnly }: { entries: number; validateOnly: boolean }) {
    this.#to = to;
    this.#progress = new Progress(to, entries);
    this.#tally = new Tally(validateOnly);
  }

  get tally(): Tally {
    return this.#tally;
  }

  add(result: Told): void {
    this.#tally.add(result);
    if (result.outcome === 'failed') this.#progress.interrupt(failureText(result));
    this.#progress.show(this.#tally);
    // last, as it may fail: what failed is told all the same
    this.#to.results?.(`${JSON.stringify(shown(result))}\n`);
  }

  /** Says how far it is, of what is told only later. */
  show(far: Far): void {
    this.#progress.show(far);
  }

  end(): void {
    this.#progress.end();
    this.#to.out(this.#tally.summary());
  }
}

/** A failure's cause is JSON in JSON where Step Functions tells it; here it is the problem. */
function shown(result: Told): unknown {
  if (result.outcome !== 'failed') return result;
  const { cause, ...rest } = result;
  return { ...rest, problem: jsonIn(cause) ?? null };
}

/** What is wrong with an entry: a line for the failure, and one for every fault. No text from outside makes a line of its own. */
function failureText({ line, failure, cause }: ToldFailure): string {
  const read = Cause.safeParse(jsonIn(cause));
  const { detail, errors = [], faults = errors.length } = read.data ?? NO_PROBLEM;
  const more = faults > errors.length ? [`  and ${faults - errors.length} faults more`] : [];
  return [
    `line ${line}: ${failure}  ${detail}`,
    ...errors.map((fault) => `  ${fault.pointer || '/'} ${fault.code}: ${fault.detail}`),
    ...more,
  ]
    .map((text) => `${visible(text)}\n`)
    .join('');
}
