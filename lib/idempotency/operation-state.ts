import * as failures from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import { isProblemType, PROBLEMS, type ProblemType } from '../contract/problems.ts';
import { companyPartition } from '../records/keys.ts';
import { ENDED_MS, readRecord, recordKey } from '../records/request-record.ts';
import type { CallContext, OperationResult, OperationState } from '../service/port.ts';
import { retryRefused } from './commit.ts';
import { fence } from './fence.ts';
import { type AnyKeyedOperation, type IdempotencyDeps, operationNamed } from './keyed-operation.ts';
import { readLive } from './keyed-request.ts';

/**
 * Reads the state of an operation from the record of its request. Attempts at a failed operation may be frozen or at
 * work, and could commit later. So `operationState` fences them off before it reports the failure.
 * @throws {Problem} `operation-not-found`, and the problems of the operation's `replay` except `project-deleted`
 */
export async function operationState(
  deps: IdempotencyDeps,
  operations: readonly AnyKeyedOperation[],
  operationId: string,
  call: CallContext,
): Promise<OperationState> {
  const { storage, now } = deps;
  const sinceMs = now();
  const key = recordKey(companyPartition(call.companyId), operationId);
  return retryRefused(call, async () => {
    const item = await storage.read(key);
    if (!item || (item.expiresAtMs ?? 0) <= now()) throw failures.operationNotFound();
    const read = readRecord(item);
    const { operation, result, leaseEndsAtMs, intent, failure } = read.record;
    if (result !== undefined)
      return { kind: 'done', result: await resultOf(deps, operationNamed(operations, operation), result, call) };
    if (intent !== undefined || leaseEndsAtMs > now()) return { kind: 'running' };
    const isOver = deps.alwaysClaims && leaseEndsAtMs === ENDED_MS;
    return isOver || (await fence(deps, key, read, sinceMs)) ? { kind: 'failed', problem: failed(failure) } : undefined;
  });
}

async function resultOf(
  deps: IdempotencyDeps,
  operation: AnyKeyedOperation,
  result: unknown,
  call: CallContext,
): Promise<OperationResult | Problem> {
  try {
    return await operation.shown(await readLive(deps, operation, result, call));
  } catch (error) {
    if (error instanceof Problem && error.name === 'project-deleted') return error;
    throw error;
  }
}

/** The pause before a retry of a failed operation, in seconds. It is short, because the operation has ended. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Makes the problem of a failed operation. The record keeps only the problem type, so the text is general.
 * @param failure the problem type in the record; absent if the attempt was killed, is frozen, or failed in another way.
 *   Such an attempt did nothing, and the problem is `unavailable`.
 */
function failed(failure = ''): Problem {
  const type: ProblemType = isProblemType(failure) ? failure : 'unavailable';
  const { title, retryable } = PROBLEMS[type];
  return new Problem(type, { detail: `${title}.`, ...(retryable && { retryAfterSeconds: RETRY_AFTER_SECONDS }) });
}
