import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import type { Change, Truth } from './load.ts';
import { change, check, listNames, Round, runRound } from './load.ts';
import { type KillStore, sqliteStore } from './store.ts';

/** How many requests were answered, how many were cut off by a kill, and how many of those had to wait for a lease. */
interface Counts {
  readonly answered: number;
  readonly unanswered: number;
  readonly claimed: number;
}

/**
 * Kills a gateway again and again while it is at work, each time starts another on its data, and repeats what was not
 * answered: whatever was acknowledged must be there, and nothing else.
 * @throws with the seed, which decides what is asked and when to kill, but not how far the gateway has come by then
 */
export async function checkKills(
  kills: number,
  seed: number,
  open: () => Promise<KillStore> = sqliteStore,
): Promise<Counts> {
  const store = await open();
  const run = new Run(store);
  try {
    for (const round of fc.sample(Round, { numRuns: kills, seed })) await run.killOnce(round);
    return await run.finish();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Seed ${seed}, kill ${run.kills}: ${reason}`, { cause });
  } finally {
    await run.stop();
    await store.remove();
  }
}

class Run {
  kills = 0;
  readonly #store: KillStore;
  readonly #projects: Truth[] = [];
  /** Changes whose key a killed process still holds. */
  readonly #claimed: Change[] = [];
  #gateway: StartedGateway | undefined;
  #answered = 0;
  #unanswered = 0;

  constructor(store: KillStore) {
    this.#store = store;
  }

  async killOnce(round: Round): Promise<void> {
    this.kills += 1;
    const held = new Set(this.#claimed.map(({ project }) => project));
    const gateway = await this.#start();
    const { unanswered, touched, answered } = await runRound(gateway, round, this.#projects, {
      held,
      large: this.#store.large,
    });
    this.#answered += answered;
    this.#unanswered += unanswered.length;
    await this.stop();
    const next = await this.#start();
    // A key that is still held has done nothing: its project is checked as it was before.
    for (const wanted of unanswered) if ((await change(next, wanted)) === 'claimed') this.#claimed.push(wanted);
    for (const project of touched) await check(next, project);
  }

  /** Repeats what had to wait, and compares everything with the truth. */
  async finish(): Promise<Counts> {
    await this.#stopCleanly();
    await this.#store.endLeases();
    const gateway = await this.#start();
    for (const wanted of this.#claimed) assert.equal(await change(gateway, wanted), 'done');
    for (const project of this.#projects) await check(gateway, project);
    const there = this.#projects.filter(({ state }) => state === 'there').map(({ name }) => name);
    assert.deepEqual((await listNames(gateway)).sort(), there.sort());
    await this.#stopCleanly();
    await this.#store.requireNoOrphans();
    return { answered: this.#answered, unanswered: this.#unanswered, claimed: this.#claimed.length };
  }

  /** Ends the gateway, if it has not ended yet. */
  async stop(): Promise<number | null | undefined> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    return gateway?.stop();
  }

  async #stopCleanly(): Promise<void> {
    assert.equal(await this.stop(), 0);
  }

  /** The gateway that runs on the data, or a new one. */
  async #start(): Promise<StartedGateway> {
    this.#gateway ??= await startGateway(this.#store.start);
    return this.#gateway;
  }
}
