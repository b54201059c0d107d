import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { companyPartition } from '../idempotency/project-item.ts';
import { idempotentRequest } from '../idempotency/replay.ts';
import { readRecord, recordKey, type StoredRequest } from '../idempotency/request-record.ts';
import { type Attempt, giveUp, OutcomeLost, type Plan, runIdempotent } from '../idempotency/run-idempotent.ts';
import { deadlineAt } from '../service/deadline.ts';
import { failures } from '../service/failures.ts';
import type { Call } from '../service/port.ts';
import type { Item, Write } from '../storage/port.ts';
import type { Client } from './client.ts';
import { makeProject, undoing } from './creation.ts';
import { deleteAtService } from './deletion.ts';
import type { Foundation } from './foundation.ts';
import { creationIn, deletionIn } from './intent.ts';
import { type MarkedOperation, openOperations, unmark } from './open-operations.ts';

/** The result of a reconciliation. */
export interface Reconciled {
  /** Operations whose end is known now. */
  readonly settled: number;
  /** Operations whose records expired before anybody could find out about them. */
  readonly givenUp: number;
  /** Operations that are still open. */
  readonly left: number;
  /** How long the oldest of those has been open, in milliseconds; 0 where there is none. */
  readonly oldestMs: number;
  /** Why the first of these could not be worked on, where it was not for time. */
  readonly failure?: unknown;
}

/** How long one look at an operation may take, in milliseconds. */
const EACH_MS = 15_000;
/** For how long the same company and the same operation of each company are the first. */
const TURN_MS = 60_000;
/** How many companies are worked on at once. */
const AT_ONCE = 8;
/** After so many looks in a row without an answer, a run leaves the company's other operations to the next run. */
const MOST_UNANSWERED = 2;

/** A company's operations that a run has not looked at yet. */
interface Queue {
  readonly operations: MarkedOperation[];
  /** How many looks in a row the service has not answered. */
  unanswered: number;
}

/** What became of an operation. */
type End = 'settled' | 'givenUp' | 'open';

/**
 * Finishes what requests left open: what was lost on the way is looked for, adopted where it was made, and said to have
 * failed where it can no longer be. Companies take turns, so that one whose operations are stuck holds up no other, and a
 * run looks once at each operation. It sends nothing that changes anything, and may be stopped anywhere and run twice.
 * @param isTimeLeft asked before each operation
 */
export async function reconcile(foundation: Foundation, isTimeLeft: () => boolean): Promise<Reconciled> {
  const { storage, now } = foundation;
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
      if (queue.unanswered < MOST_UNANSWERED) queues.push(queue);
    }
  }

  async function endOf(operation: MarkedOperation, queue: Queue): Promise<End> {
    try {
      return await finish({ ...foundation, client: counting(foundation.client, queue), looksOnce: true }, operation);
    } catch (error) {
      failure ??= error;
      return 'open';
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  const oldestMs = Math.max(0, ...[...left].map(({ sinceMs }) => now() - sinceMs));
  return { ...counts, left: left.size, oldestMs, ...(failure !== undefined && { failure }) };
}

/** A list that begins with another entry at each turn. */
function rotated<T>(list: readonly T[], turn: number): T[] {
  const first = turn % Math.max(1, list.length);
  return [...list.slice(first), ...list.slice(0, first)];
}

/** Counts the looks in a row that were not answered: no connection, no answer, a failure, or credentials refused. */
function counting(client: Client, queue: Queue): Client {
  return async (request, call) => {
    try {
      const answer = await client(request, call);
      queue.unanswered = 0;
      return answer;
    } catch (error) {
      const isUnanswered =
        error instanceof Problem && (error.name === 'upstream-unavailable' || error.name === 'unavailable');
      queue.unanswered = isUnanswered ? queue.unanswered + 1 : 0;
      throw error;
    }
  };
}

/** Looks once at an operation. If its record has expired and its end is still unknown, it is given up. */
async function finish(foundation: Foundation, operation: MarkedOperation): Promise<End> {
  const { item, kept } = await readKept(foundation, operation);
  if (creationIn(kept?.record.intent) === undefined && deletionIn(kept?.record.intent) === undefined) {
    // Its record outlived its time, or its mark the end that was written with it: nobody waits for it any more. Unless
    // it was begun anew since it was read: then its mark is another one, which only looks the same.
    const unchanged: Write[] = item ? [{ kind: 'check', key: item, version: item.version }] : [];
    const isOk = (await foundation.storage.commit({ writes: [...unchanged, unmark(operation)] })).ok;
    if (!isOk) return 'open';
    return item ? 'settled' : 'givenUp';
  }
  if (kept && (await look(foundation, operation, kept))) return 'settled';
  return kept && kept.expiresAtMs <= foundation.now() ? giveUpExpired(foundation, operation) : 'open';
}

async function readKept({ storage }: Foundation, { companyId, operationId }: MarkedOperation) {
  const item: Item | undefined = await storage.read(recordKey(companyPartition(companyId), operationId));
  return { item, kept: item && readRecord(item) };
}

/** @returns whether the operation's end is known now */
async function look(foundation: Foundation, operation: MarkedOperation, { record }: StoredRequest): Promise<boolean> {
  const { now } = foundation;
  const { companyId, operationId } = operation;
  const creation = creationIn(record.intent);
  const intent = creation ?? deletionIn(record.intent);
  if (!intent) return false;
  const { requestedBy } = intent;
  const call: Call = { companyId, requestId: operationId, requestedBy, deadline: deadlineAt(now() + EACH_MS, now) };
  const { operation: what, fingerprint } = record;
  const request = {
    ...idempotentRequest(foundation, call, operationId, { operation: what, fingerprint }),
    keepsExpiry: true,
  };
  const planOf = async (before: unknown): Promise<Plan> => {
    // Whoever sent the request again has ended it since it was read: nothing of it is open any more.
    if (before === undefined) throw failures.operationNotFound();
    return {
      intent: before,
      writes: [],
      undo: undoOf(before, operation),
      refused: async () => new Problem('unavailable', { detail: 'Nothing was planned that could be refused.' }),
    };
  };
  const resume = (attempt: Attempt): Promise<unknown> =>
    creation
      ? makeProject(foundation, undefined, call, operation, attempt)
      : deleteAtService(foundation, call, operation, attempt, { mayAsk: false, pending: () => {} });
  try {
    await runIdempotent<unknown>(request, resume, planOf);
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error instanceof OutcomeLost || PROBLEMS[error.name].outcome === 'not-applied';
  }
}

function undoOf(intent: unknown, operation: MarkedOperation): Write[] {
  const creation = creationIn(intent);
  return creation ? undoing(creation, operation) : [unmark(operation)];
}

/** Gives an operation up whose key is kept no longer. What it kept is free, and the outcome is recorded as unknown. */
async function giveUpExpired(foundation: Foundation, operation: MarkedOperation): Promise<End> {
  const { storage, now } = foundation;
  const { item, kept } = await readKept(foundation, operation);
  if (!item || !kept || kept.record.intent === undefined || kept.expiresAtMs > now()) return 'open';
  const writes = [giveUp(item, kept, now()), ...undoOf(kept.record.intent, operation)];
  return (await storage.commit({ writes })).ok ? 'givenUp' : 'open';
}
