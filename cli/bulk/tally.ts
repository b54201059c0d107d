import type { LineDone, LineFailed } from '../../lib/workflow/bulk/bulk-line.ts';

export type Outcome = LineDone['outcome'];

/** A failure by its name; one that Lambda and Step Functions say by themselves has a cause that is no problem. */
export type ToldFailure = Omit<LineFailed, 'failure'> & { readonly failure: string };

/** What a report needs of an entry that was carried out or checked. */
export type ToldDone = Pick<LineDone, 'entry' | 'line' | 'replayed'> & { readonly outcome: Outcome };

/** What a report needs of the result of an entry. */
export type Told = ToldFailure | ToldDone;

/** In the order of the summary: the first two always, the others if there are any. */
export const OUTCOMES = [
  'created',
  'deleted',
  'already-absent',
  'deleted-since',
  'archived',
  'pending',
  'valid',
] as const satisfies readonly Outcome[];

/** Counts the results of entries. */
export class Tally {
  readonly #validateOnly: boolean;
  /** Lines of this run by outcome. A line that was done before counts as already done only. */
  readonly #outcomes = new Map<Outcome, number>();
  readonly #failures = new Map<string, number>();
  #doneBefore = 0;
  #failed = 0;

  constructor(validateOnly = false) {
    this.#validateOnly = validateOnly;
  }

  add(result: Told): void {
    if (result.outcome === 'failed') {
      this.#failed++;
      increase(this.#failures, result.failure);
    } else if (result.replayed) this.#doneBefore++;
    else increase(this.#outcomes, result.outcome);
  }

  get failed(): number {
    return this.#failed;
  }

  get ended(): number {
    return [...this.#outcomes.values()].reduce((sum, count) => sum + count, this.#doneBefore + this.#failed);
  }

  /** One line of counts, and one line for each kind of failure. */
  summary(): string {
    const always: readonly Outcome[] = this.#validateOnly ? ['valid'] : ['created', 'deleted'];
    const done = OUTCOMES.flatMap((outcome) => {
      const count = this.#outcomes.get(outcome) ?? 0;
      return count > 0 || always.includes(outcome) ? [`${count} ${outcome.replace('-', ' ')}`] : [];
    });
    const counts = [...done, `${this.#doneBefore} already done`, `${this.#failed} failed`].join(', ');
    // entries end in any order: equal counts are sorted by name
    const failures = [...this.#failures].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
    return [counts, ...failures.map(([name, count]) => `${name}  ${count}`)].map((line) => `${line}\n`).join('');
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
