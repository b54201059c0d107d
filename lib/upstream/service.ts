import { checkDates } from '../contract/check-project.ts';
import * as failures from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { runClaimed } from '../idempotency/keyed-request.ts';
import { creation } from '../idempotency/requests/create-project.ts';
import { deletion } from '../idempotency/requests/delete-project.ts';
import { putting } from '../idempotency/requests/put-project.ts';
import {
  type CallContext,
  type DeletionScope,
  operationIdOf,
  type ProjectChanges,
  type ProjectReads,
  type ProjectRef,
  type ProjectService,
} from '../service/port.ts';
import { documentOf, type ProjectDocument } from '../service/project-document.ts';
import { withReserve } from '../storage/port.ts';
import { createAtUpstream, creationPlanner, requireFreeCustomId } from './create-project.ts';
import { deleteAtUpstream, findRemoval, planDelete } from './delete-project.ts';
import { type UpstreamDeps, type UpstreamOptions, upstreamDeps, withTimeToRecord } from './deps.ts';
import { customIdHolder } from './ledger.ts';
import { listProjects, readProject } from './read-projects.ts';
import { readProgress, readSegments } from './read-results.ts';

/**
 * Creates the project service that passes requests on to another server over HTTP. Every creation and deletion takes
 * effect exactly once, although the other server has no idempotency keys. Companies see only their own projects, even
 * if they share an account.
 */
export function upstreamService(options: UpstreamOptions): ProjectService {
  return { ...upstreamChanges(options), ...upstreamReads(options) };
}

/** Returns the reader of operations. Few requests need it, so that a start does not load it. */
const operationStates = () => import('../idempotency/operation-state.ts');

/** Creates the part of this service that only reads. */
export function upstreamReads(options: UpstreamOptions): ProjectReads {
  const deps = upstreamDeps(options);
  const keyed = keyedDeps(deps);
  return {
    get: async (ref, taskId, call) => documentOf(await readProject(deps, ref, taskId, call)),
    segments: (ref, query, call) => readSegments(deps, ref, query, call),
    progress: (ref, taskId, call) => readProgress(deps, ref, taskId, call),
    list: (query, call) => listProjects(deps, query, call),
    removal: async (ref, scope, call) => (await findRemoval(deps, ref, scope, call)).removal,
    async operation(id, call) {
      const { operationState } = await operationStates();
      return operationState(keyed, keyed.operations, id, call);
    },
    async dailyAllowance({ companyId }) {
      const { readAllowance } = await import('./read-allowance.ts');
      return readAllowance(deps, companyId);
    },
    async lookUp(name, call) {
      const { lookUp } = await import('./look-up.ts');
      return lookUp(deps, name, call);
    },
  };
}

function keyedDeps(deps: UpstreamDeps) {
  const read = async (ref: ProjectRef, call: CallContext) => documentOf(await readProject(deps, ref, undefined, call));
  const [create, put] = [creation(read), putting(read)];
  const { storage, now } = deps;
  return { storage, now, operations: [create, put, deletion], alwaysClaims: true, create, put };
}

/** Returns the work of puts. Creations and deletions need none of its code, and start faster without it. */
const puts = () => import('./put-project.ts');

/** Creates the part of this service that creates and deletes projects. */
export function upstreamChanges(options: UpstreamOptions): ProjectChanges {
  const deps = upstreamDeps(options);
  const deletionDeps: UpstreamDeps = { ...deps, storage: withReserve(deps.storage) };
  const { now, guard, startDateToleranceMs, newId } = deps;

  const keyed = keyedDeps(deps);

  /**
   * Returns the operation of a call. If the caller sent no idempotency key, the operation gets a new key. No caller can
   * send such a key, because it contains a space.
   */
  const openOperation = ({ companyId, idempotency }: CallContext) => ({
    companyId,
    operationId: operationIdOf(idempotency?.key ?? `operation ${newId()}`),
  });

  async function create(project: CheckedProject, call: CallContext): Promise<ProjectDocument> {
    const opened = openOperation(call);
    const plan = creationPlanner(deps, call);
    return runClaimed(
      keyed,
      { operation: keyed.create, input: project, call },
      opened.operationId,
      (attempt) => createAtUpstream(deps, project, call, opened, attempt),
      (before) => plan(project, opened, before),
    );
  }

  async function validate(project: CheckedProject, call: CallContext): Promise<void> {
    checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const { customId } = project;
    if (customId === undefined) return;
    if (await customIdHolder(deps, customId, call.companyId)) throw failures.customIdInUse();
    await requireFreeCustomId(deps, project, withTimeToRecord(call));
  }

  async function remove(ref: ProjectRef, scope: DeletionScope, call: CallContext): Promise<Receipt> {
    // A caller that may no longer delete must not learn about earlier requests either.
    if (call.idempotency) await guard.require(call);
    const opened = openOperation(call);
    const input = { ref, scope, planned: call.planned };
    let pending: Receipt | undefined;
    const onPending = (receipt: Receipt) => {
      pending = receipt;
    };
    try {
      return await runClaimed(
        { ...keyed, storage: deletionDeps.storage },
        { operation: deletion, input, call },
        opened.operationId,
        (attempt) => deleteAtUpstream(deletionDeps, call, opened, attempt, { maySend: true, onPending }),
        (before) => planDelete(deletionDeps, { ref, scope }, call, opened, before),
      );
    } catch (error) {
      if (pending && error instanceof Problem && error.name === 'outcome-unknown') return pending;
      throw error;
    }
  }

  return {
    startDateToleranceMs,
    create,
    validate,
    async put(request, call) {
      const { putProject } = await puts();
      return putProject(deps, { ...keyed, openOperation }, request, call);
    },
    async planPut(request, call) {
      const { planPut } = await puts();
      return planPut(deps, request, call);
    },
    delete: remove,
  };
}
