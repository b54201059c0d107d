import { checkProject } from '../../../lib/contract/check.ts';
import { utc } from '../../../lib/contract/date.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import type { Project } from '../../../lib/contract/project-answer.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import type { CallContext, OperationState } from '../../../lib/service/port.ts';
import type { ProjectDocument, ServiceProject } from '../../../lib/service/project-document.ts';
import { type Foreign, type Operation, told, type Wish } from './operations.ts';
import type { Oracle } from './oracle.ts';
import { type Cause, causes } from './truth.ts';
import { REQUEST_MS, type Running, type SimulatedWorld } from './world.ts';

/** What an operation came to for whoever asked. */
export type Result =
  | { readonly is: 'project'; readonly project: Project }
  | { readonly is: 'receipt'; readonly receipt: Receipt }
  | { readonly is: 'list'; readonly projects: readonly ServiceProject[]; readonly next: number | undefined }
  | { readonly is: 'state'; readonly state: OperationState }
  | { readonly is: 'problem'; readonly problem: Problem }
  | { readonly is: 'done' }
  /** Nobody answered in time. */
  | { readonly is: 'lost' };

/** An operation that was asked for. */
export interface Deed extends Cause {
  readonly operation: Operation;
  /** Absent while it is going on. */
  result: Result | undefined;
}

const END_UTC = '2059-01-01T00:00:00Z';

/** What is sent for a wish, or what another client sends that resembles it. */
export function bodyOf(
  { name, customId, tasks, difference }: Omit<Wish, 'company'> & Partial<Foreign>,
  nowMs: number,
): CheckedProject {
  const body = {
    name: difference === 'name' ? `other than ${name}` : name,
    ...(customId !== undefined && { customId }),
    startDateUtc: utc(nowMs),
    endDateUtc: END_UTC,
    sourceLanguageCode: 'en-US',
    targetLanguages: [
      { targetLanguageCode: difference === 'language' ? 'fr-FR' : 'de-DE', serviceAutomaticTranslation: true },
    ],
    segments: [
      { content: difference === 'content' ? 'y' : 'x' },
      ...tasks.map((taskId) => ({ content: taskId, taskId })),
      ...(difference === 'segments' ? [{ content: 'z' }] : []),
    ],
  };
  return checkProject(body, { nowMs, toleranceMs: LIMITS.startDateToleranceMs });
}

/** Asks a process of Segue, or goes past it. What is no problem of the catalogue is thrown on. */
async function resultOf(operation: Operation, running: Running, world: SimulatedWorld): Promise<Result> {
  try {
    return await ask(operation, running, world);
  } catch (problem) {
    if (problem instanceof Problem) return { is: 'problem', problem };
    throw problem;
  }
}

async function ask(operation: Operation, { segue, process }: Running, world: SimulatedWorld): Promise<Result> {
  switch (operation.kind) {
    case 'create': {
      // A client whose date was refused has been told the time as Segue has it.
      const body = bodyOf(operation.wish, process.now());
      return projectIn(await segue.create(body, callContext(operation, world)));
    }
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

function callContext(
  operation: { readonly company: string; readonly key?: string | undefined },
  world: SimulatedWorld,
): CallContext {
  return world.call(operation.company, operation.key);
}

/** The project of a document; what it holds is the oracle's to judge. */
export function projectIn({ json }: ProjectDocument): Extract<Result, { is: 'project' }> {
  return { is: 'project', project: JSON.parse(Buffer.from(decodeText(json)).toString()) };
}

export const PROCESSES = 3;
/** How much longer than a request may take a client waits. */
const PATIENCE_MS = 2_000;

/** Asks one of the processes, any unless given, and lets the oracle judge what it says. */
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
  trace(`${process.name} begins ${told(operation)}`);
  const lost = { is: 'lost' } as const;
  /** What is no problem of the catalogue is nothing that anybody may be told. */
  const thrown = (error: unknown): Result => {
    oracle.complain(`ended in ${error}`, operation);
    return lost;
  };
  const result = await Promise.race([
    causes.run(deed, () => resultOf(operation, running, world).catch(thrown)),
    clock.sleep(REQUEST_MS + PATIENCE_MS).then(() => lost),
  ]);
  const isExcused = process.isKilled || process.wasFrozenSince(deed.startedMs) || operation.kind === 'reconcile';
  if (result.is === 'lost' && !isExcused) oracle.complain('never ended', operation);
  oracle.ended(deed, result);
  trace(`${process.name} ended ${told(operation)}: ${result.is === 'problem' ? result.problem.name : result.is}`);
  return result;
}
