import * as failures from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { giveUp } from '../idempotency/fence.ts';
import { idempotentRequest } from '../idempotency/keyed-request.ts';
import { type Attempt, OutcomeLost, type Plan, runIdempotent } from '../idempotency/run-idempotent.ts';
import { companyPartition } from '../records/keys.ts';
import type { EventOrigin } from '../records/outbox.ts';
import { readRecord, recordKey, type StoredRequest } from '../records/request-record.ts';
import { deadlineAt } from '../service/deadline.ts';
import type { CallContext } from '../service/port.ts';
import type { Item, Write } from '../storage/port.ts';
import type { Client } from './client.ts';
import { createAtUpstream } from './create-project.ts';
import { deleteAtUpstream } from './delete-project.ts';
import { type UpstreamDeps, type UpstreamOptions, upstreamDeps } from './deps.ts';
import { type MarkedOperation, openMarkerRemoval, openOperations, readIntent, undoWrites } from './open-operations.ts';

/** The result of a reconciliation. */
export interface Reconciled {
  /** How many operations were finished: their outcome is known now. */
  readonly settled: number;
  /** How many operations were given up, because their records expired first. */
  readonly givenUp: number;
  /** How many operations are still open. */
  readonly left: number;
  /** How long the oldest open operation has been open, in milliseconds; 0 if none is left. */
  readonly oldestMs: number;
  /** The first error that kept an operation from being checked. */
  readonly failure?: unknown;
}

/** An operation that a run ended, with the request that left it open. */
export interface EndedOperation extends EventOrigin {
  readonly end: Exclude<OperationEnd, 'open'>;
}

/** The time limit for one operation, in milliseconds. */
const EACH_MS = 15_000;
/**
 * How long runs keep the same order, in milliseconds. After this time, a run begins with another company, and with
 * another operation of each company.
 */
const TURN_MS = 60_000;
/** The number of companies whose operations are checked at the same time, one operation each. */
const AT_ONCE = 8;
/** After this many requests in a row without an answer, the other operations of a company wait for the next run. */
const MAX_UNANSWERED = 2;

/** A company's operations that this run has not checked yet. */
interface Queue {
  readonly operations: MarkedOperation[];
  /** How many requests in a row the service has not answered. */
  unanswered: number;
}

type OperationEnd = 'settled' | 'givenUp' | 'open';

/**
 * Finishes the operations that requests left open.
 * @param isTimeLeft returns whether the next operation may start; if not, the run ends
 * @param onEnd called for each operation that the run ended, unless another process ended it
 */
export type Reconcile = (isTimeLeft: () => boolean, onEnd?: (ended: EndedOperation) => void) => Promise<Reconciled>;

/**
 * Creates the reconciler of the upstream service. It looks up created projects and records them, and reads back
 * deletions. It records a failure once a request can no longer take effect. It changes nothing at the upstream service.
 * A run may be stopped at any point, and two runs may overlap. Companies take turns, so that one with stuck operations
 * does not delay the others.
 */
export function upstreamReconciler(options: UpstreamOptions): Reconcile {
  const deps = upstreamDeps(options);
  return (isTimeLeft, onEnd = () => {}) => reconcile(deps, isTimeLeft, onEnd);
}

async function reconcile(
  deps: UpstreamDeps,
  isTimeLeft: () => boolean,
  onEnd: (ended: EndedOperation) => void,
): Promise<Reconciled> {
  const { storage, now } = deps;
  const counts = { settled: 0, givenUp: 0 };
  let failure: unknown;
  const operations = await Array.fromAsync(openOperations(storage));
  const left = new Set(operations);
  const turn = Math.floor(now() / TURN_MS);
  const ofCompanies = Map.groupBy(operations, ({ companyId }) => companyId).values();
  const queues = rotated([...ofCompanies], turn).map(
    (own): Queue => ({ operations: rotated(own, turn), unanswered: 0 }),
  );

  async function takeTurns(): Promise<void> {
    for (let queue = queues.shift(); queue && isTimeLeft(); queue = queues.shift()) {
      const operation = queue.operations.shift();
      if (!operation) continue;
      const end = await endOf(operation, queue);
      if (end !== 'open') {
        counts[end]++;
        left.delete(operation);
      }
      if (queue.unanswered < MAX_UNANSWERED) queues.push(queue);
    }
  }

  async function endOf(operation: MarkedOperation, queue: Queue): Promise<OperationEnd> {
    try {
      const counted = { ...deps, client: countUnanswered(deps.client, queue), looksOnce: true };
      return await finish(counted, operation, onEnd);
    } catch (error) {
      failure ??= error;
      return 'open';
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  const oldestMs = Math.max(0, ...[...left].map(({ sinceMs }) => now() - sinceMs));
  return { ...counts, left: left.size, oldestMs, ...(failure !== undefined && { failure }) };
}

/** Returns the list, starting at another entry in each turn. */
function rotated<T>(list: readonly T[], turn: number): T[] {
  const first = turn % Math.max(1, list.length);
  return [...list.slice(first), ...list.slice(0, first)];
}

/**
 * Creates a client that counts in `queue` how many requests in a row got no answer: no connection, no response, a
 * failure, or rejected credentials.
 */
function countUnanswered(client: Client, queue: Queue): Client {
  return async (request, call) => {
    const answer = await client(request, call);
    queue.unanswered = answer.kind === 'busy' ? queue.unanswered + 1 : 0;
    return answer;
  };
}

/** Checks an operation once. If its outcome stays unknown and its record has expired, the operation is given up. */
async function finish(
  deps: UpstreamDeps,
  operation: MarkedOperation,
  onEnd: (ended: EndedOperation) => void,
): Promise<OperationEnd> {
  const { item, kept } = await readKept(deps, operation);
  const intent = readIntent(kept?.record.intent);
  if (!kept || !intent) {
    // The record has expired or has an outcome, so only the marker is left. If the request has been sent again in the
    // meantime, its new marker looks the same: then the check fails, and the marker stays.
    const unchanged: Write[] = item ? [{ kind: 'check', key: item, version: item.version }] : [];
    const isOk = (await deps.storage.commit({ writes: [...unchanged, openMarkerRemoval(operation)] })).ok;
    if (!isOk) return 'open';
    return item ? 'settled' : 'givenUp';
  }
  const isSettled = await settle(deps, operation, kept);
  const isExpired = kept.expiresAtMs <= deps.now();
  const end = isSettled ? 'settled' : isExpired ? await giveUpExpired(deps, operation) : 'open';
  const { requestId, traceId } = intent;
  if (end !== 'open') onEnd({ companyId: operation.companyId, requestId, traceId, end });
  return end;
}

async function readKept({ storage }: UpstreamDeps, { companyId, operationId }: MarkedOperation) {
  const item: Item | undefined = await storage.read(recordKey(companyPartition(companyId), operationId));
  return { item, kept: item && readRecord(item) };
}

/** Tries to find out the outcome of an operation. @returns whether the outcome is known now */
async function settle(deps: UpstreamDeps, operation: MarkedOperation, { record }: StoredRequest): Promise<boolean> {
  const { now } = deps;
  const { companyId, operationId } = operation;
  const intent = readIntent(record.intent);
  if (!intent) return false;
  const { requestId, traceId, requestedBy } = intent;
  const call: CallContext = {
    companyId,
    requestId,
    traceId,
    requestedBy,
    deadline: deadlineAt(now() + EACH_MS, now),
  };
  const identity = { operation: record.operation, fingerprint: record.fingerprint };
  const request = { ...idempotentRequest(deps, call, operationId, identity), keepsExpiry: true };
  const planOf = async (before: unknown): Promise<Plan> => {
    // A retry of the request has ended the operation since the record was read.
    if (before === undefined) throw failures.operationNotFound();
    return {
      intent: before,
      writes: [],
      undo: undoWrites(operation, readIntent(before)),
      refused: async () => new Problem('unavailable', { detail: 'The plan has no write that the store could refuse.' }),
    };
  };
  const resume = (attempt: Attempt): Promise<unknown> =>
    intent.kind === 'create'
      ? createAtUpstream(deps, undefined, call, operation, attempt)
      : deleteAtUpstream(deps, call, operation, attempt, { maySend: false, onPending: () => {} });
  try {
    await runIdempotent<unknown>(request, resume, planOf);
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error instanceof OutcomeLost || PROBLEMS[error.name].outcome === 'not-applied';
  }
}

/** Records the outcome of an expired operation as unknown, and releases its reserved custom id. */
async function giveUpExpired(deps: UpstreamDeps, operation: MarkedOperation): Promise<OperationEnd> {
  const { storage, now } = deps;
  const { item, kept } = await readKept(deps, operation);
  if (!item || !kept || kept.record.intent === undefined || kept.expiresAtMs > now()) return 'open';
  const writes = [
    giveUp(item, kept.record.operation, kept, now()),
    ...undoWrites(operation, readIntent(kept.record.intent)),
  ];
  return (await storage.commit({ writes })).ok ? 'givenUp' : 'open';
}
