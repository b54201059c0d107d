import type { Random } from './random.ts';

/** A replica that stands still for a while: it shows what was at one moment. */
interface Replica {
  readonly momentMs: number;
  readonly untilMs: number;
}

/** Which accounts are answered by a replica that stands still. */
export class Replicas {
  readonly #lagMs: number;
  readonly #random: Random;
  readonly #replicas = new Map<string, Replica>();

  /** @param lagMs how far behind a replica falls before it catches up, in milliseconds */
  constructor(lagMs: number, random: Random) {
    this.#lagMs = lagMs;
    this.#random = random;
  }

  /** Binds an account to a replica until that catches up. */
  bind(account: string, nowMs: number): void {
    const momentMs = nowMs - this.#random.below(this.#lagMs + 1);
    this.#replicas.set(account, { momentMs, untilMs: momentMs + this.#lagMs });
  }

  /** The moment that an account's replica shows; `undefined` if the account has none. */
  momentOf(account: string, nowMs: number): number | undefined {
    const replica = this.#replicas.get(account);
    return replica && nowMs <= replica.untilMs ? replica.momentMs : undefined;
  }
}
