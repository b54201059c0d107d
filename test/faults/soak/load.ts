import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { act, type Die, fill } from './actions.ts';
import type { Client } from './client.ts';
import { Pool } from './pool.ts';

/** Requests that are under way at once. */
const LANES = 8;
/** Longer than any answer takes to begin. */
const LATEST_CUT_MS = 40;
const DICE_AT_ONCE = 1_000;

/** Half of those that break off do so before all of the request is sent. */
const Breaking = fc.record({
  share: fc.double({ min: 0, max: 2, noNaN: true }).map((share) => Math.min(1, share)),
  afterMs: fc.nat(LATEST_CUT_MS),
});
const Dice: fc.Arbitrary<Die> = fc.record({
  action: fc.nat(99),
  pick: fc.nat(),
  byCustomId: fc.boolean(),
  cut: fc.oneof({ weight: 19, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: Breaking }),
});

/** Requests without end, as a seed has them. */
function* dice(seed: number): Generator<Die> {
  for (let batch = 0; ; batch++) yield* fc.sample(Dice, { seed: seed + batch, numRuns: DICE_AT_ONCE });
}

/** Mixed requests to one gateway. */
export class Load {
  readonly #client: Client;
  readonly #dice: Generator<Die>;
  readonly #pool = new Pool();

  constructor(client: Client, seed: number) {
    this.#client = client;
    this.#dice = dice(seed);
  }

  /** Makes as many projects as there will ever be. */
  fill(): Promise<void> {
    return fill(this.#client, this.#pool);
  }

  /**
   * Sends requests for a while: as many as are answered, or at a rate.
   * @returns how many a second
   */
  async run(ms: number, perSecond = Number.POSITIVE_INFINITY): Promise<number> {
    const began = performance.now();
    let sent = 0;
    const lane = async () => {
      for (;;) {
        const dueMs = (sent++ / perSecond) * 1_000;
        const nowMs = performance.now() - began;
        if (Math.max(dueMs, nowMs) >= ms) return;
        if (dueMs > nowMs) await setTimeout(dueMs - nowMs);
        const die = this.#dice.next();
        if (!die.done) await act(this.#client, this.#pool, die.value);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return (sent - LANES) / ((performance.now() - began) / 1_000);
  }
}
