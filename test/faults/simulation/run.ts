import { operationIdOf } from '../../../lib/service/port.ts';
import { askAfterwards, askEachProcess } from './afterwards.ts';
import { Choosing } from './choosing.ts';
import type { Result } from './deeds.ts';
import type { Change, Operation } from './operations.ts';
import { isOpen, Oracle } from './oracle.ts';
import { PROCESSES, perform } from './performing.ts';
import { type Severity, severityOf } from './severity.ts';
import { SETTLE_MS, SimulatedWorld, type Subject } from './world.ts';

/** From one operation to the next. */
const MOST_PAUSE_MS = 4_000;
/** How often everything open is looked at once nothing goes wrong any more. */
const ROUNDS = 12;
/** How often afterwards, until the service has had more than a day for every deletion that it has only accepted. */
const LATER_ROUNDS = 16;
const LATER_MS = 3 * 3_600_000;
/** Longer than a process stands still, unless it is for hours. */
const THAWED_MS = 150_000;
/** After how long at most a client asks about a request that it was not told the end of. */
const MOST_ASKED_AFTER_MS = 60_000;
/** How many deletions of which nobody knows the end are sent again in a round. */
const MOST_RERUN = 3;
/** How often another client is about to make a project with the custom id that a company sends. */
const IMITATED = 0.2;
/** How long before or after that. */
const MOST_APART_MS = 30_000;

/** What a simulation came to. */
export interface Simulation {
  readonly seed: number;
  /** What was not as it must be; empty where everything was. */
  readonly violations: readonly string[];
  /** How often each kind of operation came to what. */
  readonly results: Readonly<Record<string, number>>;
}

export interface SimulationOptions {
  readonly trace?: ((line: string) => void) | undefined;
  /** In place of what the seed says. */
  readonly severity?: Severity | undefined;
}

/** Lets so many operations happen to a subject, as a seed says, and holds every answer against the truth. */
export async function simulate(
  subject: Subject,
  seed: number,
  operations: number,
  { trace = () => {}, severity = severityOf(seed) }: SimulationOptions = {},
): Promise<Simulation> {
  const world = new SimulatedWorld({ ...severity, seed, subject, processes: PROCESSES, trace });
  const oracle = new Oracle(world);
  await world.clock.run(play(world, oracle, operations));
  const results: Record<string, number> = {};
  for (const { operation, result } of oracle.deeds) {
    const what = `${operation.kind}: ${result?.is === 'problem' ? result.problem.name : result?.is}`;
    results[what] = (results[what] ?? 0) + 1;
  }
  return { seed, violations: [...world.violations, ...oracle.violations], results };
}

async function play(world: SimulatedWorld, oracle: Oracle, operations: number): Promise<void> {
  const { clock, random } = world;
  const choosing = new Choosing(world);
  const going: Promise<Result>[] = [];
  for (let count = 0; count < operations; count++) {
    const operation = choosing.next();
    const isImitated = world.areForeign && operation.kind === 'create' && random.chance(IMITATED);
    if (isImitated && choosing.canImitate(operation.wish)) going.push(imitate(choosing.imitate(operation.wish)));
    going.push(performAndAsk(operation));
    // A sender that hears nothing, or a platform that delivers twice.
    const isTwice = 'key' in operation && operation.key !== undefined && random.chance(0.05);
    if (isTwice) going.push(perform(operation, world, oracle));
    await clock.sleep(random.below(MOST_PAUSE_MS));
  }
  await Promise.all(going);
  world.calm();
  await clock.sleep(THAWED_MS);
  await askEachProcess(world, oracle);
  for (let round = 0; round < ROUNDS; round++) {
    await perform({ kind: 'reconcile' }, world, oracle);
    await rerun(oracle.openDeletions().slice(-MOST_RERUN), world, oracle);
    await clock.sleep(SETTLE_MS);
  }
  for (let round = 0; round < LATER_ROUNDS; round++) {
    await perform({ kind: 'reconcile' }, world, oracle);
    await clock.sleep(LATER_MS);
  }
  await perform({ kind: 'reconcile' }, world, oracle);
  await askAfterwards(world, oracle);
  oracle.checkAll();

  /** A client that is not told how its request ended asks about that later. */
  async function performAndAsk(operation: Operation): Promise<Result> {
    const result = await perform(operation, world, oracle);
    const isAsked = 'key' in operation && operation.key !== undefined && isOpen(result) && random.chance(0.5);
    if (!isAsked) return result;
    await clock.sleep(random.below(MOST_ASKED_AFTER_MS));
    const { company, key = '' } = operation;
    return perform({ kind: 'operation', company, operationId: operationIdOf(key) }, world, oracle);
  }

  /** Another client of an account uses the custom id that a company sends now. */
  async function imitate(operation: Operation): Promise<Result> {
    await clock.sleep(random.below(random.pick([100, MOST_APART_MS])));
    return perform(operation, world, oracle);
  }
}

/** Sends deletions again with their keys, and asks before what became of them. */
async function rerun(deletions: readonly Change[], world: SimulatedWorld, oracle: Oracle): Promise<void> {
  for (const deletion of deletions) {
    const { company, key = '' } = deletion;
    await perform({ kind: 'operation', company, operationId: operationIdOf(key) }, world, oracle);
    if (world.random.chance(0.5)) await perform(deletion, world, oracle);
  }
}
