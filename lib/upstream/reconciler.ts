import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { type Attempt, once, type Plan, Untold } from '../exactly-once/exactly-once.ts';
import { readRecord, recordKey } from '../exactly-once/record.ts';
import { partitionOf } from '../records/keys.ts';
import { requestOf } from '../records/once.ts';
import { deadlineAt } from '../service/deadline.ts';
import { failures } from '../service/failures.ts';
import type { Call } from '../service/port.ts';
import type { Write } from '../storage/port.ts';
import { makeProject, undoing } from './creation.ts';
import { deleteAtService } from './deletion.ts';
import type { Foundation } from './foundation.ts';
import { creationIn, deletionIn } from './intent.ts';
import { type OpenOperation, openOperations, unmark } from './open-operations.ts';

/** What a reconciliation came to. */
export interface Reconciled {
  /** Operations whose end is known now. */
  readonly settled: number;
  /** Operations that are still open. */
  readonly left: number;
  /** How long the oldest of those has been open, in milliseconds; 0 where there is none. */
  readonly oldestMs: number;
  /** Why the first of these could not be worked on, where it was not for time. */
  readonly failure?: unknown;
}

/** How long it works on one operation, in milliseconds. */
const EACH_MS = 15_000;
/** For how long the same operation is the first. */
const TURN_MS = 60_000;

/**
 * Finishes what requests left open: what was lost on the way is looked for, adopted where it was made, and said to have
 * failed where it can no longer be. It sends nothing that changes anything, and may be stopped anywhere and run twice.
 * @param isTimeLeft asked before each operation
 */
export async function reconcile(foundation: Foundation, isTimeLeft: () => boolean): Promise<Reconciled> {
  const { storage, now } = foundation;
  let settled = 0;
  let left = 0;
  let oldestMs = 0;
  let failure: unknown;
  const operations = await Array.fromAsync(openOperations(storage));
  // In turn: some may take all the time there is for as long as the service has no answer about them.
  const first = Math.floor(now() / TURN_MS) % operations.length;
  for (const operation of [...operations.slice(first), ...operations.slice(0, first)]) {
    try {
      if (isTimeLeft() && (await finish(foundation, operation))) {
        settled++;
        continue;
      }
    } catch (error) {
      failure ??= error;
    }
    left++;
    oldestMs = Math.max(oldestMs, now() - operation.sinceMs);
  }
  return { settled, left, oldestMs, ...(failure !== undefined && { failure }) };
}

/** @returns whether the operation's end is known now */
async function finish(foundation: Foundation, operation: OpenOperation): Promise<boolean> {
  const { storage, now } = foundation;
  const { companyId, operationId } = operation;
  const item = await storage.read(recordKey(partitionOf(companyId), operationId));
  const record = item && readRecord(item).record;
  const creation = creationIn(record?.intent);
  const deletion = deletionIn(record?.intent);
  const intent = creation ?? deletion;
  if (!record || !intent) {
    // Its record outlived its time, or its mark the end that was written with it: nobody waits for it any more. Unless
    // it was begun anew since it was read: then its mark is another one, which only looks the same.
    const unchanged: Write[] = item ? [{ kind: 'check', key: item, version: item.version }] : [];
    return (await storage.commit({ writes: [...unchanged, unmark(operation)] })).ok;
  }
  const { requestedBy } = intent;
  const call: Call = { companyId, requestId: operationId, requestedBy, deadline: deadlineAt(now() + EACH_MS, now) };
  const { operation: what, fingerprint } = record;
  const request = requestOf(foundation, call, operationId, { operation: what, fingerprint });
  const planOf = async (before: unknown): Promise<Plan> => {
    // Whoever sent the request again has ended it since it was read: nothing of it is open any more.
    if (before === undefined) throw failures.operationNotFound();
    return {
      intent: before,
      writes: [],
      undo: creation ? undoing(creation, operation) : [unmark(operation)],
      refused: async () => new Problem('unavailable', { detail: 'Nothing was planned that could be refused.' }),
    };
  };
  const resume = (attempt: Attempt): Promise<unknown> =>
    creation
      ? makeProject(foundation, undefined, call, operation, attempt)
      : deleteAtService(foundation, call, operation, attempt, { mayAsk: false, pending: () => {} });
  try {
    await once<unknown>(request, resume, planOf);
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error instanceof Untold || PROBLEMS[error.name].outcome === 'not-applied';
  }
}
