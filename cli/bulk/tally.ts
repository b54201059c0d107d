import type { LineDone, LineFailed } from '../../lib/doors/workflow/bulk-line.ts';

export type Outcome = LineDone['outcome'];

/** A failure by its name; one that Lambda and Step Functions say by themselves has a cause that is no problem. */
export type ToldFailure = Omit<LineFailed, 'failure'> & { readonly failure: string };

/** What a report has to know of what became of an entry. */
export type Told = ToldFailure | (Pick<LineDone, 'entry' | 'line' | 'replayed'> & { readonly outcome: Outcome });

/** In the order in which they are told: the first two always, the others where there are any. */
export const OUTCOMES = [
  'created',
  'deleted',
  'already-absent',
  'deleted-since',
  'archived',
  'pending',
] as const satisfies readonly Outcome[];

/** Counts what became of entries. */
export class Tally {
  /** By outcome, of what was done now; what was done before counts as replayed and as nothing else. */
  readonly #outcomes = new Map<Outcome, number>();
  readonly #failures = new Map<string, number>();
  #replayed = 0;
  #failed = 0;

  add(result: Told): void {
    if (result.outcome === 'failed') {
      this.#failed++;
      increase(this.#failures, result.failure);
    } else if (result.replayed) this.#replayed++;
    else increase(this.#outcomes, result.outcome);
  }

  get failed(): number {
    return this.#failed;
  }

  get ended(): number {
    return [...this.#outcomes.values()].reduce((sum, count) => sum + count, this.#replayed + this.#failed);
  }

  /** In one line what was done, and in one each how often what failed. */
  summary(): string {
    const done = OUTCOMES.flatMap((outcome, index) => {
      const count = this.#outcomes.get(outcome) ?? 0;
      return count > 0 || index < 2 ? [`${count} ${outcome.replace('-', ' ')}`] : [];
    });
    const counts = [...done, `${this.#replayed} replayed`, `${this.#failed} failed`].join(', ');
    // entries end in any order: as many of two are told by name
    const failures = [...this.#failures].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
    return [counts, ...failures.map(([name, count]) => `${name}  ${count}`)].map((line) => `${line}\n`).join('');
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
