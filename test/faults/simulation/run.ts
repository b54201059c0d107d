import { operationIdOf } from '../../../lib/service/port.ts';
import { type Change, Choosing, CUSTOM_IDS, type Operation } from './operations.ts';
import { isOpen, Oracle } from './oracle.ts';
import { PROCESSES, perform, type Result } from './perform.ts';
import { type Severity, severityOf } from './severity.ts';
import { CREATED } from './wishes.ts';
import { COMPANIES, type Company, SETTLE_MS, SimulatedWorld, type Subject } from './world.ts';

/**
 * Checks everything after the last fault: every operation has ended with a true state, every key returns its result,
 * and every company has its projects.
 */
async function askAfterwards(world: SimulatedWorld, oracle: Oracle): Promise<void> {
  const asked = [...oracle.asked];
  for (const { change, operationId } of asked) {
    const { company } = change;
    const answer = await perform({ kind: 'operation', company, operationId }, world, oracle);
    if (answer.is === 'state' && answer.state.kind === 'running')
      oracle.complain(`operation ${operationId} never ends`, change);
  }
  for (const { change } of asked) {
    if (change.kind !== 'delete' && change.key !== undefined) await perform(change, world, oracle);
  }
  for (const company of COMPANIES) {
    await askFor(company, world, oracle);
    await askForDeleted(company, world, oracle);
    await giveFreeCustomIds(company, world, oracle);
  }
}

/** Has every process read a project of every company, soon after the last fault. */
async function askEachProcess(world: SimulatedWorld, oracle: Oracle): Promise<void> {
  for (let place = 0; place < PROCESSES; place++) {
    for (const company of COMPANIES) {
      const id = world.idsOwnedBy(company).find((each) => world.truth.facts.get(each)?.deletedAtMs === undefined);
      if (id === undefined) continue;
      const { is } = await perform({ kind: 'get', company, ref: { id }, taskId: undefined }, world, oracle, place);
      if (is !== 'project') oracle.complain(`process ${place} cannot read project ${id} of ${company}`);
    }
  }
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
  if (listed.join() !== owned.join()) oracle.complain(`${company} lists ${listed}, but has ${owned}`);
  for (const id of owned) {
    const isThere = world.truth.facts.get(id)?.deletedAtMs === undefined;
    const { is } = await perform({ kind: 'get', company, ref: { id }, taskId: undefined }, world, oracle);
    if (isThere && is !== 'project') oracle.complain(`${company} cannot read its project ${id}`);
  }
}

/** Checks that deleted projects have tombstones. */
async function askForDeleted(company: Company, world: SimulatedWorld, oracle: Oracle): Promise<void> {
  for (const id of oracle.deletedOf(company)) {
    const answer = await perform({ kind: 'get', company, ref: { id }, taskId: undefined }, world, oracle);
    const isRemembered = answer.is === 'problem' && answer.problem.occurrence.deletedAtUtc !== undefined;
    if (!isRemembered) oracle.complain(`nobody remembers that ${company} deleted project ${id}`);
  }
}

/** Checks that free custom ids can be used. */
async function giveFreeCustomIds(company: Company, world: SimulatedWorld, oracle: Oracle): Promise<void> {
  const taken = [...oracle.customIdsOf(company), ...(company === 'three' ? oracle.foreignCustomIds() : [])];
  for (const [index, customId] of CUSTOM_IDS.entries()) {
    if (taken.includes(customId)) continue;
    const wish = { company, name: `${company} afterwards ${index}`, customId, tasks: [], ...CREATED };
    const { is } = await perform({ kind: 'create', company, wish, key: undefined }, world, oracle);
    if (is !== 'project') oracle.complain(`${company} cannot give the custom id ${customId}, which is free`);
  }
}

/** The longest pause between two operations, in milliseconds. */
const MAX_PAUSE_MS = 4_000;
/** The number of reconciliations of everything open after the last fault. */
const ROUNDS = 12;
/** The number of later reconciliations, until every accepted deletion had more than a day. */
const LATER_ROUNDS = 16;
const LATER_MS = 3 * 3_600_000;
/** A time after which a frozen process runs again, in milliseconds. A stalled process stands still for hours. */
const THAWED_MS = 150_000;
/** The longest time until a client reads the state of an unanswered request, in milliseconds. */
const MAX_ASKED_AFTER_MS = 60_000;
/** The number of open deletions that are sent again in a round. */
const MAX_RERUN = 3;
/** The probability that another client creates a project with the custom id that a company sends. */
const IMITATED = 0.2;
/** The longest time between the company's create and the other client's create, in milliseconds. */
const MAX_APART_MS = 30_000;

/** The result of a simulation. */
interface Simulation {
  readonly seed: number;
  /** The violated rules; empty if there are none. */
  readonly violations: readonly string[];
  /** The number of times that each kind of operation had each result. */
  readonly results: Readonly<Record<string, number>>;
}

interface SimulationOptions {
  readonly trace?: ((line: string) => void) | undefined;
  /** A severity that replaces the one of the seed. */
  readonly severity?: Severity | undefined;
}

/** Runs a number of operations that a seed chooses, and compares every answer with the truth. */
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
    const isImitated = world.areForeign && 'wish' in operation && random.chance(IMITATED);
    if (isImitated && choosing.canImitate(operation.wish)) going.push(imitate(choosing.imitate(operation.wish)));
    going.push(performAndAsk(operation));
    // The client hears nothing and repeats the request, or the platform delivers it twice.
    const isTwice = 'key' in operation && operation.key !== undefined && random.chance(0.05);
    if (isTwice) going.push(perform(operation, world, oracle));
    await clock.sleep(random.below(MAX_PAUSE_MS));
  }
  await Promise.all(going);
  world.calm();
  await clock.sleep(THAWED_MS);
  await askEachProcess(world, oracle);
  for (let round = 0; round < ROUNDS; round++) {
    await perform({ kind: 'reconcile' }, world, oracle);
    await rerun(oracle.openDeletions().slice(-MAX_RERUN), world, oracle);
    await clock.sleep(SETTLE_MS);
  }
  for (let round = 0; round < LATER_ROUNDS; round++) {
    await perform({ kind: 'reconcile' }, world, oracle);
    await clock.sleep(LATER_MS);
  }
  await perform({ kind: 'reconcile' }, world, oracle);
  await askAfterwards(world, oracle);
  oracle.checkAll();

  /** Runs an operation. If its outcome is open, the client reads its state later. */
  async function performAndAsk(operation: Operation): Promise<Result> {
    const result = await perform(operation, world, oracle);
    const isAsked = 'key' in operation && operation.key !== undefined && isOpen(result) && random.chance(0.5);
    if (!isAsked) return result;
    await clock.sleep(random.below(MAX_ASKED_AFTER_MS));
    const { company, key = '' } = operation;
    return perform({ kind: 'operation', company, operationId: operationIdOf(key) }, world, oracle);
  }

  /** Has another client of an account use the custom id that a company is sending. */
  async function imitate(operation: Operation): Promise<Result> {
    await clock.sleep(random.below(random.pick([100, MAX_APART_MS])));
    return perform(operation, world, oracle);
  }
}

/** Reads the states of deletions, and sends some of them again with their keys. */
async function rerun(deletions: readonly Change[], world: SimulatedWorld, oracle: Oracle): Promise<void> {
  for (const deletion of deletions) {
    const { company, key = '' } = deletion;
    await perform({ kind: 'operation', company, operationId: operationIdOf(key) }, world, oracle);
    if (world.random.chance(0.5)) await perform(deletion, world, oracle);
  }
}

export const OPERATIONS = 200;

/**
 * Simulates a subject with one seed after the other.
 * @returns how often each kind of operation had each result
 * @throws the violations of the first seed that has any
 */
export async function checkSimulations(
  subject: Subject,
  seeds: number,
  first = 1,
  severity?: Severity,
): Promise<Simulation['results']> {
  const results: Record<string, number> = {};
  for (let seed = first; seed < first + seeds; seed++) {
    const simulation = await simulate(subject, seed, OPERATIONS, { severity });
    if (simulation.violations.length > 0) throw new Error(`With seed ${seed}: ${simulation.violations.join('\n')}`);
    for (const [what, count] of Object.entries(simulation.results)) results[what] = (results[what] ?? 0) + count;
  }
  return results;
}
