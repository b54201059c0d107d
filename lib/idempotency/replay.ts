import * as z from 'zod/mini';
import type { Fault } from '../contract/faults.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import { Receipt } from '../contract/receipt.ts';
import { differences } from '../service/compared-fields.ts';
import { type CallContext, operationIdOf, type ProjectService } from '../service/port.ts';
import { type ProjectDocument, valueIn } from '../service/project-document.ts';
import type { ItemStore } from '../storage/port.ts';
import { companyPartition, projectKey } from './project-item.ts';
import { isSameRequest, type RequestIdentity, recordKey } from './request-record.ts';
import { type IdempotentRequest, type Outcome, type ResultWrite, runIdempotent } from './run-idempotent.ts';
import { deletionTime } from './tombstones.ts';

/** The recorded result of a create or delete: ids and a receipt, never content. */
export const RequestResult = z.union([
  z.strictObject({ kind: z.literal('created'), projectId: z.int() }),
  z.strictObject({ kind: z.literal('deleted'), receipt: Receipt }),
]);
export type RequestResult = z.infer<typeof RequestResult>;

/** Turns a recorded result into the answer of another request with the same key. */
export interface Replay<T> {
  /**
   * Checks that the created project still exists. It runs before the requests are compared.
   * @throws {Problem} `project-deleted`
   */
  readonly requireLive: (result: RequestResult) => Promise<void>;
  /** JSON pointers to the fields that differ between the requests, if they can still be compared. */
  readonly differences: (result: RequestResult) => Promise<readonly string[]>;
  readonly answer: (result: RequestResult) => Promise<T>;
}

export interface IdempotencyDeps {
  readonly storage: ItemStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How long the lease lasts after the call's deadline, in milliseconds, so that the attempt's last write can arrive. */
const LEASE_MARGIN_MS = 1_000;

/**
 * Runs the work of a call: once if the call has an idempotency key, and each time without one.
 * @param meaningOf what the request asks for; called only if there is a key, because it may be slow
 * @param work receives `settle`, which makes the write of its result; without a key it receives `undefined`
 * @throws {Problem} `request-in-progress`, `idempotency-key-reused`; any error of `work` and `replay`
 */
export async function runCall<T>(
  deps: IdempotencyDeps,
  call: CallContext,
  meaningOf: () => RequestIdentity,
  work: (settle: ResultWrite | undefined) => Promise<T>,
  replay: Replay<T>,
): Promise<T> {
  if (!call.idempotency) return work(undefined);
  const request = idempotentRequest(deps, call, operationIdOf(call.idempotency.key), meaningOf());
  const outcome = await runIdempotent(request, ({ settle }) => work(settle));
  return resultOrReplay(call, request.meaning, outcome, replay);
}

/** Makes the idempotent request of an operation. Its lease ends shortly after the call's deadline. */
export function idempotentRequest(
  { storage, now }: IdempotencyDeps,
  call: CallContext,
  operationId: string,
  meaning: RequestIdentity,
): IdempotentRequest {
  return {
    storage,
    key: recordKey(companyPartition(call.companyId), operationId),
    meaning,
    now,
    leaseMs: call.deadline.remainingMs() + LEASE_MARGIN_MS,
    retentionMs: call.idempotency?.retentionMs,
  };
}

/**
 * Returns the value of a request that was done now, or replays the result of an earlier one.
 * @throws {Problem} `idempotency-key-reused`; any error of `replay`
 */
export async function resultOrReplay<T>(
  { idempotency }: CallContext,
  meaning: RequestIdentity,
  outcome: Outcome<T>,
  replay: Replay<T>,
): Promise<T> {
  if (outcome.kind === 'done') return outcome.value;
  const detail = reusedDetail(outcome.meaning, meaning);
  if (outcome.result === undefined) throw reused(detail, []);
  const result = RequestResult.parse(outcome.result);
  await replay.requireLive(result);
  if (!isSameRequest(outcome.meaning, meaning)) throw reused(detail, await replay.differences(result));
  idempotency?.replayed();
  return replay.answer(result);
}

/** Start dates are not compared. A problem about a deletion does not mention dates, because it has none. */
function reusedDetail(first: RequestIdentity, { operation }: RequestIdentity): string {
  if (first.operation !== operation) return 'This key was used with another operation.';
  return operation === 'create'
    ? 'This key was used with another project. Segue compares endDateUtc, but not startDateUtc.'
    : 'This key was used with another deletion.';
}

function reused(detail: string, pointers: readonly string[]): Problem {
  const fault = (pointer: string): Fault => ({
    pointer,
    code: 'not-the-same',
    detail: 'The first request with this key had another value here.',
  });
  return new Problem('idempotency-key-reused', { detail, ...(pointers.length > 0 && { errors: pointers.map(fault) }) });
}

/** Replays the results of creates and deletes. Created projects are shown as they are now. */
export interface ProjectReplays {
  creation(project: CheckedProject, call: CallContext): Replay<ProjectDocument>;
  deletion(call: CallContext): Replay<Receipt>;
  /**
   * Reads a created project, which may have been deleted since.
   * @throws {Problem} `project-deleted`
   */
  getCreatedProject(projectId: number, call: CallContext): Promise<ProjectDocument>;
}

/** @param get reads a project of the service */
export function projectReplays(deps: IdempotencyDeps, get: ProjectService['get']): ProjectReplays {
  /** A late retry never creates a deleted project again. */
  async function requireLive(result: RequestResult, { companyId }: Pick<CallContext, 'companyId'>): Promise<void> {
    if (result.kind !== 'created') return;
    if (await deps.storage.read(projectKey(companyId, result.projectId))) return;
    const deletedAtUtc = await deletionTime(deps, companyId, { id: result.projectId });
    throw new Problem('project-deleted', {
      detail: 'The project created with this key was deleted. Segue does not create it again.',
      ...(deletedAtUtc !== undefined && { deletedAtUtc }),
    });
  }

  async function getCreatedProject(projectId: number, call: CallContext): Promise<ProjectDocument> {
    try {
      return await get({ id: projectId }, undefined, call);
    } catch (error) {
      await requireLive({ kind: 'created', projectId }, call);
      throw error;
    }
  }

  return {
    getCreatedProject,
    creation: (project, call) => ({
      requireLive: (result) => requireLive(result, call),
      differences: async (result) => {
        if (result.kind !== 'created') return [];
        return differences(project, valueIn(await getCreatedProject(result.projectId, call)));
      },
      answer: async (result) => {
        if (result.kind !== 'created') throw new TypeError('The result of a create must be a project');
        return getCreatedProject(result.projectId, call);
      },
    }),
    deletion: (call) => ({
      requireLive: (result) => requireLive(result, call),
      differences: async () => [],
      answer: async (result) => {
        if (result.kind !== 'deleted') throw new TypeError('The result of a delete must be a receipt');
        return result.receipt;
      },
    }),
  };
}
