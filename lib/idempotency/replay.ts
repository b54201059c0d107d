import * as z from 'zod/mini';
import type { Fault } from '../contract/fault.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import { Receipt } from '../contract/receipt.ts';
import { differences } from '../service/meaning.ts';
import { operationIdOf } from '../service/operation-id.ts';
import type { Call, ProjectService } from '../service/port.ts';
import { type ProjectDocument, valueIn } from '../service/project-document.ts';
import type { ItemStore } from '../storage/port.ts';
import { companyPartition, projectKey } from './project-item.ts';
import { type RequestIdentity, recordKey } from './request-record.ts';
import {
  type IdempotentRequest,
  isSameRequest,
  type Outcome,
  type ResultWrite,
  runIdempotent,
} from './run-idempotent.ts';
import { deletionTime } from './tombstones.ts';

/** Makes the answer of an earlier request that of another one with its key, as the project now stands. */
export interface ProjectReplays {
  creation(project: CheckedProject, call: Call): Replay<ProjectDocument>;
  deletion(call: Call): Replay<Receipt>;
  /**
   * A project that was made, which may be deleted at any moment.
   * @throws {Problem} `project-deleted`
   */
  made(projectId: number, call: Call): Promise<ProjectDocument>;
}

/** @param get reads a project of the service */
export function projectReplays(keeper: IdempotencyDeps, get: ProjectService['get']): ProjectReplays {
  /** A deleted project is never made again by a late retry. */
  async function requireLive(result: RequestResult, { companyId }: Pick<Call, 'companyId'>): Promise<void> {
    if (result.kind !== 'created') return;
    if (await keeper.storage.read(projectKey(companyId, result.projectId))) return;
    const deletedAtUtc = await deletionTime(keeper, companyId, { id: result.projectId });
    throw new Problem('project-deleted', {
      detail: 'The project that was created with this key has been deleted, and is not made again.',
      ...(deletedAtUtc !== undefined && { deletedAtUtc }),
    });
  }

  async function made(projectId: number, call: Call): Promise<ProjectDocument> {
    try {
      return await get({ id: projectId }, undefined, call);
    } catch (error) {
      await requireLive({ kind: 'created', projectId }, call);
      throw error;
    }
  }

  return {
    made,
    creation: (project, call) => ({
      requireLive: (result) => requireLive(result, call),
      differences: async (result) => {
        if (result.kind !== 'created') return [];
        return differences(project, valueIn(await made(result.projectId, call)));
      },
      answer: async (result) => {
        if (result.kind !== 'created') throw new TypeError('The result of a creation is a project');
        return made(result.projectId, call);
      },
    }),
    deletion: (call) => ({
      requireLive: (result) => requireLive(result, call),
      differences: async () => [],
      answer: async (result) => {
        if (result.kind !== 'deleted') throw new TypeError('The result of a deletion is a receipt');
        return result.receipt;
      },
    }),
  };
}

/** What is kept of what a request came to: ids and a receipt, never content. */
export const RequestResult = z.union([
  z.strictObject({ kind: z.literal('created'), projectId: z.int() }),
  z.strictObject({ kind: z.literal('deleted'), receipt: Receipt }),
]);
export type RequestResult = z.infer<typeof RequestResult>;

/** How a result is made the answer of another request with its key. */
export interface Replay<T> {
  /** @throws {Problem} where what the result speaks of is gone: that is said before that the requests differ */
  readonly requireLive: (result: RequestResult) => Promise<void>;
  /** Where the requests differ, as far as that can still be told. */
  readonly differences: (result: RequestResult) => Promise<readonly string[]>;
  readonly answer: (result: RequestResult) => Promise<T>;
}

/** Kept back beyond the deadline, for the last write of an attempt to arrive. */
const LEASE_MARGIN_MS = 1_000;

/**
 * Does work as often as it is asked for, or with a key once.
 * @param meaningOf what the request means; asked for only where there is a key, since it may take a while
 * @param work gets what makes the write that records its result; without a key, nothing
 * @throws {Problem} `request-in-progress`, `idempotency-key-reused`; whatever work and replay throw
 */
export async function runCall<T>(
  foundation: IdempotencyDeps,
  call: Call,
  meaningOf: () => RequestIdentity,
  work: (settle: ResultWrite | undefined) => Promise<T>,
  replay: Replay<T>,
): Promise<T> {
  if (!call.idempotency) return work(undefined);
  const request = idempotentRequest(foundation, call, operationIdOf(call.idempotency.key), meaningOf());
  return resultOrReplay(call, request.meaning, await runIdempotent(request, ({ settle }) => work(settle)), replay);
}

/** Where requests are kept. */
export interface IdempotencyDeps {
  readonly storage: ItemStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A request under the id of its operation. It may work as long as its call. */
export function idempotentRequest(
  { storage, now }: IdempotencyDeps,
  call: Call,
  operationId: string,
  meaning: RequestIdentity,
): IdempotentRequest {
  const key = recordKey(companyPartition(call.companyId), operationId);
  return {
    storage,
    key,
    meaning,
    now,
    leaseMs: call.deadline.remainingMs() + LEASE_MARGIN_MS,
    retentionMs: call.idempotency?.retentionMs,
  };
}

/**
 * The answer to a request, from what became of it.
 * @throws {Problem} `idempotency-key-reused`; whatever the replay throws
 */
export async function resultOrReplay<T>(
  { idempotency }: Call,
  meaning: RequestIdentity,
  outcome: Outcome<T>,
  replay: Replay<T>,
): Promise<T> {
  if (outcome.kind === 'done') return outcome.value;
  const wording = reusedDetail(outcome.meaning, meaning);
  if (outcome.result === undefined) throw reused(wording, []);
  const result = RequestResult.parse(outcome.result);
  await replay.requireLive(result);
  if (!isSameRequest(outcome.meaning, meaning)) throw reused(wording, await replay.differences(result));
  idempotency?.replayed();
  return replay.answer(result);
}

function notTheSame(pointer: string): Fault {
  return { pointer, code: 'not-the-same', detail: 'The first request with this key has another value here.' };
}

/** Only a creation has dates: a problem about a deletion does not speak of them. */
function reusedDetail(first: RequestIdentity, { operation }: RequestIdentity): string {
  if (first.operation !== operation) return 'Another operation was requested with this key.';
  return operation === 'create'
    ? 'Another project was sent with this key. endDateUtc, unlike startDateUtc, is compared.'
    : 'Another deletion was requested with this key.';
}

function reused(detail: string, pointers: readonly string[]): Problem {
  return new Problem('idempotency-key-reused', {
    detail,
    ...(pointers.length > 0 && { errors: pointers.map(notTheSame) }),
  });
}
