import { operationIdOf } from '../../lib/service/operation-id.ts';
import type { Operation } from './operations.ts';
import type { Oracle } from './oracle.ts';
import { perform } from './performing.ts';
import { COMPANIES, type Company, type SimulatedWorld } from './world.ts';

type Change = Extract<Operation, { readonly kind: 'create' | 'delete' }>;

/** An operation that somebody can ask about: by the key that was sent, or by the id that was told. */
interface Asked {
  readonly change: Change;
  readonly operationId: string;
}

/**
 * Asks about everything once nothing goes wrong any more: every operation has ended and says what is so, every key gives
 * what it gave, and every company has what it owns.
 */
export async function askAfterwards(world: SimulatedWorld, oracle: Oracle): Promise<void> {
  const asked = [...askable(oracle)];
  for (const { change, operationId } of asked) {
    const { company } = change;
    const answer = await perform({ kind: 'operation', company, operationId }, world, oracle);
    if (answer.is !== 'state') continue;
    const { kind } = answer.state;
    if (kind === 'running') oracle.complain(`operation ${operationId} never ends`, change);
    if (kind === 'failed' && wasMade(change, oracle))
      oracle.complain(`operation ${operationId} has not failed`, change);
  }
  for (const { change } of asked) {
    if (change.kind === 'create' && change.key !== undefined) await perform(change, world, oracle);
  }
  for (const company of COMPANIES) await askFor(company, world, oracle);
}

function* askable({ deeds }: Oracle): Generator<Asked> {
  for (const { operation, result } of deeds) {
    if (operation.kind !== 'create' && operation.kind !== 'delete') continue;
    const { key } = operation;
    const told = result?.is === 'problem' ? result.problem.occurrence.operationId : undefined;
    const operationId = key === undefined ? told : operationIdOf(key);
    if (operationId !== undefined) yield { change: operation, operationId };
  }
}

/** A key that came with other content may have made that. */
function wasMade(change: Change, oracle: Oracle): boolean {
  return change.kind === 'create' && oracle.madeFor(change.wish.name).length > 0;
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
