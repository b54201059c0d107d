import type { Random } from './random.ts';

const HOUR_MS = 3_600_000;
/** The longest time from an accepted deletion to its effect, in milliseconds. */
const LONGEST_MS = 20 * HOUR_MS;
/** How often the effect never comes. */
const NEVER = 0.25;

/** Deletions that the service accepted and has not carried out. */
export class AcceptedDeletions {
  readonly #random: Random;
  readonly #underWay = new Set<string>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Whether a deletion of this path was accepted and is not over. */
  isUnderWay(path: string): boolean {
    return this.#underWay.has(path);
  }

  get count(): number {
    return this.#underWay.size;
  }

  /** Accepts a deletion: some are quick, others take hours, and a few are dropped. */
  accept(path: string, sleep: (ms: number) => Promise<void>, carryOut: () => Promise<unknown>): void {
    this.#underWay.add(path);
    const afterMs = this.#random.below(this.#random.pick([LONGEST_MS, HOUR_MS, HOUR_MS / 6]));
    const isDropped = this.#random.chance(NEVER);
    void sleep(afterMs).then(() => {
      this.#underWay.delete(path);
      return isDropped ? undefined : carryOut();
    });
  }
}
