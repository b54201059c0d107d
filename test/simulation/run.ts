import { allAt } from '../../local/simulator/faults.ts';
import { randomFrom } from '../../local/simulator/random.ts';
import { askAfterwards } from './afterwards.ts';
import { Choosing } from './choosing.ts';
import type { Result } from './deeds.ts';
import { Oracle } from './oracle.ts';
import { PROCESSES, perform } from './performing.ts';
import { SETTLE_MS, SimulatedWorld, type Subject, type WorldOptions } from './world.ts';

/** From one operation to the next. */
const MOST_PAUSE_MS = 4_000;
/** How often everything open is looked at once nothing goes wrong any more, and again after a day. */
const ROUNDS = 12;
/** How long a service may take for a deletion that it has only accepted. */
const DAY_MS = 86_400_000;
/** Longer than a process stands still. */
const THAWED_MS = 150_000;

/** What a simulation came to. */
export interface Simulation {
  readonly seed: number;
  /** What was not as it must be; empty where everything was. */
  readonly violations: readonly string[];
  /** How often each kind of operation came to what. */
  readonly results: Readonly<Record<string, number>>;
}

/** Lets so many operations happen to a subject, as a seed says, and holds every answer against the truth. */
export async function simulate(
  subject: Subject,
  seed: number,
  operations: number,
  trace: (line: string) => void = () => {},
): Promise<Simulation> {
  const world = new SimulatedWorld({ ...severity(seed), seed, subject, processes: PROCESSES, trace });
  const oracle = new Oracle(world);
  await world.clock.run(play(world, oracle, operations));
  const results: Record<string, number> = {};
  for (const { operation, result } of oracle.deeds) {
    const what = `${operation.kind}: ${result?.is === 'problem' ? result.problem.name : result?.is}`;
    results[what] = (results[what] ?? 0) + 1;
  }
  return { seed, violations: oracle.violations, results };
}

/** Some worlds are calm, most are bad, and a few are terrible. */
function severity(seed: number): Pick<WorldOptions, 'rates' | 'hazards' | 'areCustomIdsFree'> {
  const random = randomFrom(seed);
  const rate = random.pick([0, 0.002, 0.01, 0.01, 0.03]);
  const hazard = random.pick([0, 0.0005, 0.002, 0.01]);
  const areCustomIdsFree = random.chance(0.3);
  return {
    // What a proxy sends twice to a service that makes two of it, no client can make one again.
    rates: { ...allAt(rate), ...(areCustomIdsFree && { twice: 0 }) },
    hazards: { kill: hazard, freeze: hazard, store: hazard / 2 },
    areCustomIdsFree,
  };
}

async function play(world: SimulatedWorld, oracle: Oracle, operations: number): Promise<void> {
  const { clock, random } = world;
  const choosing = new Choosing(world);
  const going: Promise<Result>[] = [];
  for (let count = 0; count < operations; count++) {
    const operation = choosing.next();
    going.push(perform(operation, world, oracle));
    // A sender that hears nothing, or a platform that delivers twice.
    const isTwice = 'key' in operation && operation.key !== undefined && random.chance(0.05);
    if (isTwice) going.push(perform(operation, world, oracle));
    await clock.sleep(random.below(MOST_PAUSE_MS));
  }
  await Promise.all(going);
  world.calm();
  await clock.sleep(THAWED_MS);
  const { changesAsked } = world;
  for (const afterMs of [...Array<number>(ROUNDS).fill(SETTLE_MS), DAY_MS]) {
    await perform({ kind: 'reconcile' }, world, oracle);
    await clock.sleep(afterMs);
  }
  await perform({ kind: 'reconcile' }, world, oracle);
  if (world.changesAsked > changesAsked) oracle.complain('a reconciliation has changed something at the service');
  await askAfterwards(world, oracle);
  oracle.checkAll();
}
