import { Problem } from '../contract/problem.ts';
import { isProblemType, PROBLEMS, type ProblemType } from '../contract/problems.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type CallContext, failures, type OperationState } from '../service/port.ts';
import type { ProjectDocument } from '../service/project-document.ts';
import type { ItemStore } from '../storage/port.ts';
import { retryRefused } from './commit.ts';
import { companyPartition } from './project-item.ts';
import { RequestResult } from './replay.ts';
import { fence, readRecord, recordKey } from './request-record.ts';

/** The store of the request records, and the reader of created projects. */
export interface OperationDeps {
  readonly storage: ItemStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** @throws {Problem} `project-deleted` where it is gone */
  readonly getCreatedProject: (projectId: number, call: CallContext) => Promise<ProjectDocument>;
}

/**
 * Reads the state of an operation from the record of its request. It fences the attempt off before it reports that the
 * operation failed, so that a frozen attempt cannot commit afterwards.
 * @throws {Problem} `operation-not-found`; any problem of reading the project but `project-deleted`
 */
export async function operationState(
  deps: OperationDeps,
  operationId: string,
  call: CallContext,
): Promise<OperationState> {
  const { storage, now } = deps;
  const key = recordKey(companyPartition(call.companyId), operationId);
  return retryRefused(call, async () => {
    const item = await storage.read(key);
    if (!item || (item.expiresAtMs ?? 0) <= now()) throw failures.operationNotFound();
    const read = readRecord(item);
    const { result, leaseEndsAtMs, intent, failure } = read.record;
    if (result !== undefined) return { kind: 'done', result: await resultOf(deps, RequestResult.parse(result), call) };
    if (intent !== undefined || leaseEndsAtMs > now()) return { kind: 'running' };
    return (await fence(storage, key, read)) ? { kind: 'failed', problem: failed(failure) } : undefined;
  });
}

async function resultOf(
  { getCreatedProject }: OperationDeps,
  result: RequestResult,
  call: CallContext,
): Promise<ProjectDocument | Problem | Receipt> {
  if (result.kind === 'deleted') return result.receipt;
  try {
    return await getCreatedProject(result.projectId, call);
  } catch (error) {
    if (error instanceof Problem && error.name === 'project-deleted') return error;
    throw error;
  }
}

/** An operation that has ended can be requested again at once. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Makes the problem that an attempt ended with. Its own text is not kept, so the text is general. An attempt without a
 * result, an intent or a problem did nothing: it was killed or is frozen, or its commit did not arrive.
 */
function failed(failure = ''): Problem {
  const type: ProblemType = isProblemType(failure) ? failure : 'unavailable';
  const { title, retryable } = PROBLEMS[type];
  return new Problem(type, { detail: `${title}.`, ...(retryable && { retryAfterSeconds: RETRY_AFTER_SECONDS }) });
}
