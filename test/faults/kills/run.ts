import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { listProjects } from '../asking.ts';
import { type Change, change, check, checkEvents, checkUnanswered, choose, type KnownProject } from '../load.ts';
import { endLeases, requireNoOrphans } from './store.ts';

/** The number of requests in flight at the same time. */
const LANES = 6;
/** The number of segments of a large project. */
const LARGE = 1_000;

const KINDS = [
  'create',
  'create',
  'create large',
  'put',
  'put',
  'put',
  'delete task',
  'delete project',
  'get',
] as const;
const Action = fc.record({ kind: fc.constantFrom(...KINDS), pick: fc.nat(), byCustomId: fc.boolean() });
type Action = typeof Action extends fc.Arbitrary<infer Value> ? Value : never;

/** The largest number of answers before the kill. */
const MAX_ANSWERS = 24;
const ACTIONS = MAX_ANSWERS + LANES;

/** The requests of a round, and the moment of the kill. */
const Round = fc.record({
  actions: fc.array(Action, { minLength: ACTIONS, maxLength: ACTIONS }),
  /** The number of answered requests before the kill. */
  answers: fc.nat(MAX_ANSWERS),
  /** The number of turns of the event loop between the last answer and the kill. */
  turns: fc.nat(30),
});
type Round = typeof Round extends fc.Arbitrary<infer Value> ? Value : never;

/** The requests in flight at the kill, and the projects that they change. */
interface Aftermath {
  readonly unanswered: readonly Change[];
  readonly touched: ReadonlySet<KnownProject>;
  readonly answered: number;
}

/**
 * Sends a round's requests and kills the gateway while they run.
 * @param projects all projects so far; new ones are added
 * @param held projects that an unanswered request may still change; the round leaves them alone
 */
async function runRound(
  gateway: StartedGateway,
  { actions, answers, turns }: Round,
  projects: KnownProject[],
  held: ReadonlySet<KnownProject>,
): Promise<Aftermath> {
  const queue = actions.values();
  const busy = new Set(held);
  const touched = new Set<KnownProject>();
  const unanswered: Change[] = [];
  let answered = 0;
  let killed = false;
  const killing = Promise.withResolvers<void>();

  async function kill(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    killed = true;
    gateway.process.kill('SIGKILL');
  }

  async function run(action: Action): Promise<void> {
    const { project, wanted } = choose(action, projects, busy, LARGE);
    busy.add(project);
    touched.add(project);
    try {
      if (!wanted) await check(gateway, project);
      else if ((await change(gateway, wanted)) === 'claimed') throw new Error('A new key was taken');
    } catch (error) {
      // A broken connection has an error code of the system; a wrong answer does not.
      if (!killed || !isBroken(error)) throw error;
      if (wanted) unanswered.push(wanted);
      return;
    }
    busy.delete(project);
    answered += 1;
    if (answered === answers) killing.resolve(kill());
  }

  async function lane(): Promise<void> {
    for (const action of queue) {
      if (killed) return;
      await run(action);
    }
  }

  const lanes = Array.from({ length: LANES }, lane);
  if (answers === 0) killing.resolve(kill());
  await Promise.all([...lanes, killing.promise]);
  return { unanswered, touched, answered };
}

function isBroken(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(error.code))
  );
}

/** The numbers of answered requests, of requests that a kill cut off, and of those that had to wait for a lease. */
interface Counts {
  readonly answered: number;
  readonly unanswered: number;
  readonly claimed: number;
}

/**
 * Kills a working gateway again and again, starts another on its data, and repeats the unanswered requests. Every
 * acknowledged change must be there with its event, and nothing else.
 * @throws if not. The message has the seed, which fixes the requests and the kills, but not the gateway's progress
 */
export async function checkKills(kills: number, seed: number): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'segue-kills-'));
  const run = new Run(folder);
  try {
    for (const round of fc.sample(Round, { numRuns: kills, seed })) await run.killOnce(round);
    return await run.finish();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Seed ${seed}, kill ${run.kills}: ${reason}`, { cause });
  } finally {
    await run.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

class Run {
  kills = 0;
  readonly #folder: string;
  readonly #projects: KnownProject[] = [];
  /** Changes whose key is still held by a killed process. */
  readonly #claimed: Change[] = [];
  #gateway: StartedGateway | undefined;
  #answered = 0;
  #unanswered = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async killOnce(round: Round): Promise<void> {
    this.kills += 1;
    const held = new Set(this.#claimed.map(({ project }) => project));
    const { unanswered, touched, answered } = await runRound(await this.#start(), round, this.#projects, held);
    this.#answered += answered;
    this.#unanswered += unanswered.length;
    await this.stop();
    const next = await this.#start();
    for (const wanted of unanswered) await checkUnanswered(next, wanted);
    // A key that is still held has had no effect, so its project is checked unchanged.
    for (const wanted of unanswered) if ((await change(next, wanted)) === 'claimed') this.#claimed.push(wanted);
    for (const project of touched) await check(next, project);
  }

  /** Repeats the changes that had to wait, and compares all projects with the acknowledged answers. */
  async finish(): Promise<Counts> {
    await this.#stopCleanly();
    endLeases(this.#folder);
    const gateway = await this.#start();
    for (const wanted of this.#claimed) assert.equal(await change(gateway, wanted), 'done');
    for (const project of this.#projects) await check(gateway, project);
    const there = this.#projects.filter(({ state }) => state === 'there').map(({ name }) => name);
    assert.deepEqual((await listProjects(gateway)).map(({ name }) => String(name)).sort(), there.sort());
    await checkEvents(gateway, this.#projects);
    await this.#stopCleanly();
    requireNoOrphans(this.#folder);
    return { answered: this.#answered, unanswered: this.#unanswered, claimed: this.#claimed.length };
  }

  /** Ends the gateway if it is still running. */
  async stop(): Promise<number | null | undefined> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    return gateway?.stop();
  }

  async #stopCleanly(): Promise<void> {
    assert.equal(await this.stop(), 0);
  }

  /** Returns the running gateway, or starts a new one on the data. */
  async #start(): Promise<StartedGateway> {
    this.#gateway ??= await startGateway({ env: { SEGUE_DATA_DIR: this.#folder } });
    return this.#gateway;
  }
}
