import { Problem } from '../../../lib/contract/problem.ts';
import type { Project } from '../../../lib/contract/project-answer.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import type { CallContext, OperationState } from '../../../lib/service/port.ts';
import type { ProjectDocument, ServiceProject } from '../../../lib/service/project-document.ts';
import type { OutdatedPut, PutCounts, PutOutcome } from '../../../lib/service/put.ts';
import { formatOperation, type Operation, type Put } from './operations.ts';
import type { Oracle } from './oracle.ts';
import { type Cause, causes } from './truth.ts';
import { bodyOf, taskSegments } from './wishes.ts';
import { REQUEST_MS, type Running, type SimulatedWorld } from './world.ts';

/** What a put that is not outdated tells of what it has done. */
export interface PutAnswer extends Pick<PutCounts, 'segments' | 'targetLanguages'> {
  readonly outcome: PutOutcome;
  readonly projectId: number;
}

/** The result of an operation for its client. */
export type Result =
  | { readonly is: 'project'; readonly project: Project }
  | { readonly is: 'put'; readonly answer: PutAnswer; readonly project: Project }
  | { readonly is: 'outdated'; readonly answer: OutdatedPut }
  | { readonly is: 'receipt'; readonly receipt: Receipt }
  | { readonly is: 'list'; readonly projects: readonly ServiceProject[]; readonly next: number | undefined }
  | { readonly is: 'state'; readonly state: OperationState }
  | { readonly is: 'problem'; readonly problem: Problem }
  | { readonly is: 'done' }
  /** The client got no answer in time. */
  | { readonly is: 'lost' };

/** An operation that a client or the scheduler started. */
export interface Deed extends Cause {
  /** Whether the answer is that of an earlier request with the same key. */
  isReplayed: boolean;
  /** The result; undefined while the operation runs. */
  result: Result | undefined;
}

/**
 * Runs an operation in a process of Segue, or at the upstream service itself.
 * @throws any error that is not a problem of the catalogue
 */
async function resultOf(deed: Deed, running: Running, world: SimulatedWorld): Promise<Result> {
  try {
    return await ask(deed, running, world);
  } catch (problem) {
    if (problem instanceof Problem) return { is: 'problem', problem };
    throw problem;
  }
}

async function ask(deed: Deed, { segue, process }: Running, world: SimulatedWorld): Promise<Result> {
  const { operation } = deed;
  switch (operation.kind) {
    case 'create': {
      // A refused start date tells the client Segue's time, so the client uses that time.
      const body = bodyOf(operation.wish, process.now());
      return projectIn(await segue.create(body, callContext(operation, world)));
    }
    case 'put':
      return put(operation, deed, { segue, process }, world);
    case 'delete': {
      const { ref, scope } = operation;
      return { is: 'receipt', receipt: await segue.delete(ref, scope, callContext(operation, world)) };
    }
    case 'get':
      return projectIn(await segue.get(operation.ref, operation.taskId, callContext(operation, world)));
    case 'list': {
      const { projects, next } = await segue.list({ limit: 20, after: operation.after }, callContext(operation, world));
      return { is: 'list', projects, next };
    }
    case 'operation':
      return { is: 'state', state: await segue.operation(operation.operationId, callContext(operation, world)) };
    case 'reconcile':
      await segue.reconcile();
      return { is: 'done' };
    case 'make outside': {
      const body = bodyOf(operation.foreign, world.clock.nowMs);
      const { id } = await world.service.create(body, world.call(operation.account));
      world.foreign.add(id);
      return { is: 'done' };
    }
    case 'delete outside':
      await world.service.delete({ id: operation.id }, { kind: 'project' }, world.call(operation.account));
      return { is: 'done' };
    case 'rotate':
      world.rotate(operation.account);
      return { is: 'done' };
  }
}

async function put(operation: Put, deed: Deed, { segue, process }: Running, world: SimulatedWorld): Promise<Result> {
  const { company, ref, wish, taskId, revision, scopes, key } = operation;
  const segments = taskId === undefined ? undefined : taskSegments(wish, taskId);
  const project = bodyOf(wish, process.now(), { isPut: true, ...(segments && { segments }) });
  const replayed = () => {
    deed.isReplayed = true;
  };
  const call = { ...world.call(company, key, replayed), scopes };
  const result = await segue.put({ ref, project, taskId, revision }, call);
  if (result.outcome === 'outdated') return { is: 'outdated', answer: result };
  const { outcome, projectId, segments: counted, targetLanguages } = result;
  const answer = { outcome, projectId, segments: counted, targetLanguages };
  return { ...projectIn(await result.document()), is: 'put', answer };
}

function callContext(
  operation: { readonly company: string; readonly key?: string | undefined },
  world: SimulatedWorld,
): CallContext {
  return world.call(operation.company, operation.key);
}

/** Returns the project of a document, for the oracle. */
export function projectIn({ json }: ProjectDocument): Extract<Result, { is: 'project' }> {
  return { is: 'project', project: JSON.parse(Buffer.from(decodeText(json)).toString()) };
}

export const PROCESSES = 3;
/** The time that a client waits after the deadline of its request, in milliseconds. */
const PATIENCE_MS = 2_000;

/** Runs an operation in one of the processes, at random unless given, and lets the oracle check the result. */
export async function perform(
  operation: Operation,
  world: SimulatedWorld,
  oracle: Oracle,
  place = world.random.below(PROCESSES),
): Promise<Result> {
  const { clock, trace } = world;
  const running = world.process(place);
  const { process } = running;
  const deed = oracle.begun(operation);
  trace(`${process.name} begins ${formatOperation(operation)}`);
  const lost = { is: 'lost' } as const;
  /** Any other error reaches the client as an internal error. */
  const thrown = (error: unknown): Result => {
    oracle.complain(`ended in ${error}`, operation);
    return lost;
  };
  const result = await Promise.race([
    causes.run(deed, () => resultOf(deed, running, world).catch(thrown)),
    clock.sleep(REQUEST_MS + PATIENCE_MS).then(() => lost),
  ]);
  const isExcused = process.isKilled || process.wasFrozenSince(deed.startedMs) || operation.kind === 'reconcile';
  if (result.is === 'lost' && !isExcused) oracle.complain('never ended', operation);
  oracle.ended(deed, result);
  trace(
    `${process.name} ended ${formatOperation(operation)}: ${result.is === 'problem' ? result.problem.name : result.is}`,
  );
  return result;
}
