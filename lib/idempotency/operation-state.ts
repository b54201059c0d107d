import { Problem } from '../contract/problem.ts';
import { isProblemType, PROBLEMS, type ProblemType } from '../contract/problems.ts';
import type { Receipt } from '../contract/receipt.ts';
import { failures } from '../service/failures.ts';
import type { Call, OperationState } from '../service/port.ts';
import type { ProjectDocument } from '../service/project-document.ts';
import type { ItemStore } from '../storage/port.ts';
import { retryRefused } from './commit.ts';
import { companyPartition } from './project-item.ts';
import { RequestResult } from './replay.ts';
import { readRecord, recordKey } from './request-record.ts';
import { fence } from './run-idempotent.ts';

/** Where requests with a key are kept, and how the project that one made is read. */
export interface OperationDeps {
  readonly storage: ItemStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** @throws {Problem} `project-deleted` where it is gone */
  readonly getMade: (projectId: number, call: Call) => Promise<ProjectDocument>;
}

/**
 * Tells what became of a request with a key, from its record: an operation is nothing else. Before an operation is
 * reported as failed, the record says so: a frozen attempt can then no longer commit.
 * @throws {Problem} `operation-not-found`; whatever reading the project throws but `project-deleted`
 */
export async function operationState(deps: OperationDeps, operationId: string, call: Call): Promise<OperationState> {
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
  { getMade }: OperationDeps,
  result: RequestResult,
  call: Call,
): Promise<ProjectDocument | Problem | Receipt> {
  if (result.kind === 'deleted') return result.receipt;
  try {
    return await getMade(result.projectId, call);
  } catch (error) {
    if (error instanceof Problem && error.name === 'project-deleted') return error;
    throw error;
  }
}

/** What has ended may be asked for again at once. */
const RETRY_AFTER_SECONDS = 1;

/**
 * The problem that an attempt ended in, in general words: its own are not kept. An attempt without a result, an
 * intent or a problem did nothing: it was killed or is frozen, or its commit did not arrive.
 */
function failed(failure = ''): Problem {
  const type: ProblemType = isProblemType(failure) ? failure : 'unavailable';
  const { title, retryable } = PROBLEMS[type];
  return new Problem(type, { detail: `${title}.`, ...(retryable && { retryAfterSeconds: RETRY_AFTER_SECONDS }) });
}
