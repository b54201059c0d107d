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

/** The schema of the recorded result of a create or delete. It contains ids or a receipt, never content. */
export const RequestResult = z.union([
  z.strictObject({ kind: z.literal('created'), projectId: z.int() }),
  z.strictObject({ kind: z.literal('deleted'), receipt: Receipt }),
]);
export type RequestResult = z.infer<typeof RequestResult>;

/** The steps that turn a recorded result into the answer to a later request with the same key. */
export interface Replay<T> {
  /**
   * Checks that a created project still exists. Runs before the later request is compared with the first.
   * @throws {Problem} `project-deleted`
   */
  readonly requireLive: (result: RequestResult) => Promise<void>;
  /**
   * Returns JSON pointers to the fields that differ between the two requests; an empty list if they cannot be compared.
   */
  readonly differences: (result: RequestResult) => Promise<readonly string[]>;
  /** Makes the answer from the recorded result. */
  readonly answer: (result: RequestResult) => Promise<T>;
}

/** The dependencies of requests with an idempotency key. */
export interface IdempotencyDeps {
  readonly storage: ItemStore;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** How long a lease outlasts the deadline of the call, in milliseconds. In this time the last write can arrive. */
const LEASE_MARGIN_MS = 1_000;

/**
 * Runs the work of a call. With an idempotency key, the work runs once for all calls with the key.
 * @param meaningOf returns the operation and content of the request; called only if there is a key, because it may be
 *   slow
 * @param work receives a function that makes the write that records the result, to commit together with the effect;
 *   `undefined` if the call has no key
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

/** Makes the arguments of `runIdempotent` for an operation. The lease ends shortly after the deadline of the call. */
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
 * Returns the value if this call ran the work, or else the replayed result of the earlier request.
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

/**
 * Returns the detail of `idempotency-key-reused`. It mentions dates only for a create, because a delete has no dates.
 */
function reusedDetail(first: RequestIdentity, { operation }: RequestIdentity): string {
  if (first.operation !== operation)
    return 'This idempotency key was used with another kind of request. For a new request, use a new key.';
  return operation === 'create'
    ? 'This idempotency key was used with another project. For a new request, use a new key. A retry must send the same project with the same endDateUtc; only startDateUtc may differ.'
    : 'This idempotency key was used with another deletion. For a new request, use a new key.';
}

function reused(detail: string, pointers: readonly string[]): Problem {
  const fault = (pointer: string): Fault => ({
    pointer,
    code: 'not-the-same',
    detail: 'The first request with this idempotency key had a different value at this pointer.',
  });
  return new Problem('idempotency-key-reused', { detail, ...(pointers.length > 0 && { errors: pointers.map(fault) }) });
}

/** The replays of creates and deletes. */
export interface ProjectReplays {
  /** Makes the replay of a create, which returns the project in its current state. */
  creation(project: CheckedProject, call: CallContext): Replay<ProjectDocument>;
  /** Makes the replay of a delete, which returns the receipt of the first request. */
  deletion(call: CallContext): Replay<Receipt>;
  /**
   * Reads the project that an earlier request created.
   * @throws {Problem} `project-deleted` if the project has been deleted since
   */
  getCreatedProject(projectId: number, call: CallContext): Promise<ProjectDocument>;
}

/**
 * Makes the replays of a service's creates and deletes.
 * @param get reads a project of the service
 */
export function projectReplays(deps: IdempotencyDeps, get: ProjectService['get']): ProjectReplays {
  /** Throws `project-deleted` if a created project was deleted, so that a late retry never creates it again. */
  async function requireLive(result: RequestResult, { companyId }: Pick<CallContext, 'companyId'>): Promise<void> {
    if (result.kind !== 'created') return;
    if (await deps.storage.read(projectKey(companyId, result.projectId))) return;
    const deletedAtUtc = await deletionTime(deps, companyId, { id: result.projectId });
    throw new Problem('project-deleted', {
      detail:
        'The project created with this idempotency key was deleted. Segue does not create it again. To create it, use a new key.',
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
