import { CUSTOM_IDS } from './choosing.ts';
import type { Oracle } from './oracle.ts';
import { PROCESSES, perform } from './performing.ts';
import { COMPANIES, type Company, type SimulatedWorld } from './world.ts';

/**
 * Asks about everything once nothing goes wrong any more: every operation has ended and says what is so, every key gives
 * what it gave, and every company has what it owns.
 */
export async function askAfterwards(world: SimulatedWorld, oracle: Oracle): Promise<void> {
  const asked = [...oracle.asked];
  for (const { change, operationId } of asked) {
    const { company } = change;
    const answer = await perform({ kind: 'operation', company, operationId }, world, oracle);
    if (answer.is === 'state' && answer.state.kind === 'running')
      oracle.complain(`operation ${operationId} never ends`, change);
  }
  for (const { change } of asked) {
    if (change.kind === 'create' && change.key !== undefined) await perform(change, world, oracle);
  }
  for (const company of COMPANIES) {
    await askFor(company, world, oracle);
    await askForDeleted(company, world, oracle);
    await giveFreeCustomIds(company, world, oracle);
  }
}

/** Soon after nothing goes wrong any more, every process reads the projects of every company. */
export async function askEachProcess(world: SimulatedWorld, oracle: Oracle): Promise<void> {
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
  if (listed.join() !== owned.join()) oracle.complain(`${company} is told that it has ${listed}, and has ${owned}`);
  for (const id of owned) {
    const isThere = world.truth.facts.get(id)?.deletedAtMs === undefined;
    const { is } = await perform({ kind: 'get', company, ref: { id }, taskId: undefined }, world, oracle);
    if (isThere && is !== 'project') oracle.complain(`${company} cannot read its project ${id}`);
  }
}

/** What was deleted is remembered. */
async function askForDeleted(company: Company, world: SimulatedWorld, oracle: Oracle): Promise<void> {
  for (const id of oracle.deletedOf(company)) {
    const answer = await perform({ kind: 'get', company, ref: { id }, taskId: undefined }, world, oracle);
    const isRemembered = answer.is === 'problem' && answer.problem.occurrence.deletedAtUtc !== undefined;
    if (!isRemembered) oracle.complain(`nobody remembers that ${company} deleted project ${id}`);
  }
}

/** A custom id that no project has can be given. */
async function giveFreeCustomIds(company: Company, world: SimulatedWorld, oracle: Oracle): Promise<void> {
  const taken = [...oracle.customIdsOf(company), ...(company === 'three' ? oracle.foreignCustomIds() : [])];
  for (const [index, customId] of CUSTOM_IDS.entries()) {
    if (taken.includes(customId)) continue;
    const wish = { company, name: `${company} afterwards ${index}`, customId, tasks: [] };
    const { is } = await perform({ kind: 'create', company, wish, key: undefined }, world, oracle);
    if (is !== 'project') oracle.complain(`${company} cannot give the custom id ${customId}, which is free`);
  }
}
