import type { Random } from './random.ts';

const HOUR_MS = 3_600_000;
/** The longest time from accepting a deletion to its effect, in milliseconds. */
const LONGEST_MS = 20 * HOUR_MS;
/** The share of accepted deletions that are never carried out. */
const DROPPED = 0.25;

/** Deletions that the service accepted and has not carried out. */
export class PendingDeletions {
  readonly #random: Random;
  readonly #paths = new Set<string>();

  constructor(random: Random) {
    this.#random = random;
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  get size(): number {
    return this.#paths.size;
  }

  /** Accepts a deletion. Some are quick, others take hours, and a quarter are dropped. */
  accept(path: string, sleep: (ms: number) => Promise<void>, carryOut: () => Promise<unknown>): void {
    this.#paths.add(path);
    const afterMs = this.#random.below(this.#random.pick([LONGEST_MS, HOUR_MS, HOUR_MS / 6]));
    const isDropped = this.#random.chance(DROPPED);
    void sleep(afterMs).then(() => {
      this.#paths.delete(path);
      return isDropped ? undefined : carryOut();
    });
  }
}
