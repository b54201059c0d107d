import { operationIdOf } from '../../lib/service/operation-id.ts';
import { allAt } from '../../local/simulator/faults.ts';
import { randomFrom } from '../../local/simulator/random.ts';
import { Choosing } from './choosing.ts';
import { type Result, resultOf } from './deeds.ts';
import { type Operation, told } from './operations.ts';
import { Oracle } from './oracle.ts';
import {
  COMPANIES,
  type Company,
  REQUEST_MS,
  SETTLE_MS,
  SimulatedWorld,
  type Subject,
  type WorldOptions,
} from './world.ts';

const PROCESSES = 3;
/** How much longer than a request may take a client waits. */
const PATIENCE_MS = 2_000;
/** From one operation to the next. */
const MOST_PAUSE_MS = 4_000;
/** How often everything open is looked at once nothing goes wrong any more. */
const ROUNDS = 12;
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
  for (let round = 0; round < ROUNDS; round++) {
    await perform({ kind: 'reconcile' }, world, oracle);
    await clock.sleep(SETTLE_MS);
  }
  await askAll(world, oracle);
  oracle.checkAll();
}

async function perform(operation: Operation, world: SimulatedWorld, oracle: Oracle): Promise<Result> {
  const { clock, random, trace } = world;
  const { process, segue } = world.process(random.below(PROCESSES));
  const deed = oracle.begun(operation);
  trace(`${process.name} begins ${told(operation)}`);
  const lost = { is: 'lost' } as const;
  const result = await Promise.race([
    resultOf(operation, segue, world),
    clock.sleep(REQUEST_MS + PATIENCE_MS).then(() => lost),
  ]);
  const isExcused = process.isKilled || process.wasFrozenSince(deed.startedMs) || operation.kind === 'reconcile';
  if (result.is === 'lost' && !isExcused) oracle.complain('never ended', operation);
  oracle.ended(deed, result);
  trace(`${process.name} ended ${told(operation)}: ${result.is === 'problem' ? result.problem.name : result.is}`);
  return result;
}

/** Every operation has ended, every key gives what it gave, and every company has what it owns. */
async function askAll(world: SimulatedWorld, oracle: Oracle): Promise<void> {
  const withKeys = oracle.deeds.flatMap(({ operation }) =>
    operation.kind === 'create' || operation.kind === 'delete' ? [operation] : [],
  );
  const told = oracle.deeds.flatMap(({ operation, result }) =>
    result?.is === 'problem' && result.problem.occurrence.operationId !== undefined && 'company' in operation
      ? [{ company: operation.company, operationId: result.problem.occurrence.operationId }]
      : [],
  );
  for (const { company, key } of withKeys)
    if (key !== undefined) told.push({ company, operationId: operationIdOf(key) });
  for (const { company, operationId } of told) {
    const state = await perform({ kind: 'operation', company, operationId }, world, oracle);
    if (state.is === 'state' && state.state.kind === 'running') oracle.complain(`operation ${operationId} never ends`);
  }
  for (const operation of withKeys) {
    if (operation.key !== undefined && operation.kind === 'create') await perform(operation, world, oracle);
  }
  for (const company of COMPANIES) await askFor(company, world, oracle);
}

async function askFor(company: Company, world: SimulatedWorld, oracle: Oracle): Promise<void> {
  const listed: number[] = [];
  let after: number | undefined;
  do {
    const page = await perform({ kind: 'list', company, ...(after !== undefined && { after }) }, world, oracle);
    if (page.is !== 'list') return oracle.complain(`${company} has no list`);
    listed.push(...page.projects.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  const owned = world.idsOwnedBy(company);
  if (listed.join() !== owned.join()) oracle.complain(`${company} is told that it has ${listed}, and has ${owned}`);
}
