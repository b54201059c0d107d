import { checkDates } from '../contract/check-project.ts';
import * as failures from '../contract/failures.ts';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { NO_GUARD } from '../idempotency/commit.ts';
import { runClaimed } from '../idempotency/keyed-request.ts';
import { operationState } from '../idempotency/operation-state.ts';
import { creation } from '../idempotency/requests/create-project.ts';
import { deletion } from '../idempotency/requests/delete-project.ts';
import {
  type CallContext,
  type DeletionScope,
  operationIdOf,
  type ProjectRef,
  type ProjectService,
} from '../service/port.ts';
import { documentOf, type ProjectDocument } from '../service/project-document.ts';
import { withReserve } from '../storage/port.ts';
import { createAtUpstream, planCreation, requireFreeCustomId } from './create-project.ts';
import { DEFAULT_CUSTOM_ID_PREFIX } from './custom-ids.ts';
import { deleteAtUpstream, findRemoval, planDelete } from './delete-project.ts';
import { type UpstreamDeps, withTimeToRecord } from './deps.ts';
import { customIdHolder } from './ledger.ts';
import { listProjects, readProject } from './read-projects.ts';
import { readProgress, readSegments } from './read-results.ts';
import { type EndedOperation, type Reconciled, reconcile } from './reconciler.ts';

type Defaulted = 'isOwnAccount' | 'customIdPrefix' | 'startDateToleranceMs' | 'propagationMs' | 'guard';

/**
 * The dependencies of `upstreamService`. These may be left out:
 * - `isOwnAccount`: by default, no company has its own upstream account.
 * - `customIdPrefix`: `segue` by default.
 * - `startDateToleranceMs`: 5 minutes by default.
 * - `propagationMs`: one minute by default.
 * - `guard`: by default, nothing checks whether a caller is still allowed to delete.
 */
export type UpstreamOptions = Omit<UpstreamDeps, Defaulted | 'looksOnce'> & {
  readonly [Name in Defaulted]?: UpstreamDeps[Name] | undefined;
};

/** The project service that passes requests on to another server, with the reconciler that finishes open operations. */
export interface UpstreamService extends ProjectService {
  /**
   * Finishes the operations that requests left open.
   * @param isTimeLeft returns whether the next operation may start; if not, the run ends
   * @param onEnd called for each operation that the run ended
   */
  reconcile(isTimeLeft: () => boolean, onEnd?: (ended: EndedOperation) => void): Promise<Reconciled>;
}

const DEFAULT_PROPAGATION_MS = 60_000;

/**
 * Creates the project service that passes requests on to another server over HTTP. Every creation and deletion takes
 * effect exactly once, although the other server has no idempotency keys. Companies see only their own projects, even
 * if they share an account.
 */
export function upstreamService(options: UpstreamOptions): UpstreamService {
  const deps: UpstreamDeps = {
    ...options,
    isOwnAccount: options.isOwnAccount ?? (async () => false),
    customIdPrefix: options.customIdPrefix ?? DEFAULT_CUSTOM_ID_PREFIX,
    startDateToleranceMs: options.startDateToleranceMs ?? LIMITS.startDateToleranceMs,
    propagationMs: options.propagationMs ?? DEFAULT_PROPAGATION_MS,
    guard: options.guard ?? NO_GUARD,
  };
  const deletionDeps: UpstreamDeps = { ...deps, storage: withReserve(deps.storage) };
  const { now, guard, startDateToleranceMs, newId } = deps;

  const operations = { create: creation(get), remove: deletion };
  const keyed = { storage: deps.storage, now, operations: Object.values(operations), alwaysClaims: true };

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
    return runClaimed(
      keyed,
      { operation: operations.create, input: project, call },
      opened.operationId,
      (attempt) => createAtUpstream(deps, project, call, opened, attempt),
      (before) => planCreation(deps, project, call, opened, before),
    );
  }

  async function validate(project: CheckedProject, call: CallContext): Promise<void> {
    checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const { customId } = project;
    if (customId === undefined) return;
    if (await customIdHolder(deps, customId, call.companyId)) throw failures.customIdInUse();
    await requireFreeCustomId(deps, project, withTimeToRecord(call));
  }

  async function get(ref: ProjectRef, taskId: string | undefined, call: CallContext): Promise<ProjectDocument> {
    return documentOf(await readProject(deps, ref, taskId, call));
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
        { operation: operations.remove, input, call },
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
    get,
    segments: (ref, query, call) => readSegments(deps, ref, query, call),
    progress: (ref, taskId, call) => readProgress(deps, ref, taskId, call),
    list: (query, call) => listProjects(deps, query, call),
    removal: async (ref, scope, call) => (await findRemoval(deps, ref, scope, call)).removal,
    delete: remove,
    operation: (id, call) => operationState(keyed, id, call),
    reconcile: (isTimeLeft, onEnd) => reconcile(deps, isTimeLeft, onEnd),
  };
}
