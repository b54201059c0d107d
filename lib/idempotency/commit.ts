import { Problem } from '../contract/problem.ts';
import type { CallContext } from '../service/port.ts';
import { nextTurn } from '../service/turn.ts';
import type { Batch, ItemStore, Write } from '../storage/port.ts';
import { ClaimLost, type ResultWrite } from './run-idempotent.ts';

/**
 * The maximum number of attempts. There are never so many concurrent changes. So a batch that is refused each time
 * means that records of the store contradict each other.
 */
const MAX_ATTEMPTS = 1_000;

/**
 * Repeats an attempt until it returns a value. An attempt returns `undefined` if another commit has changed its items
 * first.
 * @throws {Problem} `unavailable` if the deadline passes
 */
export async function retryRefused<T>({ deadline }: CallContext, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; deadline.remainingMs() > 0; attempts++) {
    if (attempts === MAX_ATTEMPTS) throw new RangeError('The records of a project contradict each other');
    const result = await attempt();
    if (result !== undefined) return result;
    // Without this pause, no other request would run: a store in this process answers at once.
    await nextTurn();
  }
  throw new Problem('unavailable', {
    detail: 'Segue ran out of time. Nothing was done. Send the request again.',
    retryAfterSeconds: 1,
  });
}

/**
 * Commits a batch. If the request has an idempotency key, the commit includes the result of the request.
 * @param settle makes the write of the result; `undefined` if the request has no key
 * @returns the write that the store refused; `undefined` if the batch was committed
 * @throws {ClaimLost} if another attempt has claimed the request
 */
export async function commitWithResult<Recorded>(
  storage: ItemStore,
  batch: Batch,
  settle: ResultWrite<Recorded> | undefined,
  result: Recorded,
): Promise<Write | undefined> {
  const settled = settle?.(result);
  const writes = settled ? [...batch.writes, settled] : batch.writes;
  const commit = await storage.commit({ ...batch, writes });
  if (commit.ok) return undefined;
  const refused = writes[commit.refused];
  if (refused === settled) throw new ClaimLost();
  return refused;
}

/**
 * The guard of deletions. Its methods return a check to add to the batch of a deletion. The store refuses the batch if
 * the caller may no longer delete. The methods return `undefined` if no check is needed.
 */
export interface Guard {
  /** Returns a check that the caller's credentials have not changed since authentication. Does not read the store. */
  presume(call: CallContext): Write | undefined;
  /**
   * Reads whether the caller may delete now, and returns a check that this stays so.
   * @throws {Problem} `unauthenticated` if the caller may not delete
   */
  require(call: CallContext): Promise<Write | undefined>;
}

/** A guard that checks nothing. */
export const NO_GUARD: Guard = { presume: () => undefined, require: async () => undefined };
