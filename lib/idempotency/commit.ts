import { Problem } from '../contract/problem.ts';
import type { CallContext } from '../service/port.ts';
import { nextTurn } from '../service/turn.ts';
import type { Batch, ItemStore, Write } from '../storage/port.ts';

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
 * Makes the write that records the result of a request. Add it to the batch that has the effect, so that the store
 * commits both or neither. The store refuses the batch if another attempt has written the record of the request.
 */
export type ResultWrite<Recorded = unknown> = (result: Recorded) => Write;

/** The error that work throws if the store refused its batch, because another attempt has written the record of the request. */
export class RecordTaken extends Error {
  override readonly name = 'RecordTaken';
}

/**
 * Commits a batch. If the request has an idempotency key, the commit includes the result of the request.
 * @param resultWrite makes the write of the result; `undefined` if the request has no key
 * @returns the write that the store refused; `undefined` if the batch was committed
 * @throws {RecordTaken} if another attempt has written the record of the request
 */
export async function commitWithResult<Recorded>(
  storage: ItemStore,
  batch: Batch,
  resultWrite: ResultWrite<Recorded> | undefined,
  result: Recorded,
): Promise<Write | undefined> {
  const settled = resultWrite?.(result);
  const writes = settled ? [...batch.writes, settled] : batch.writes;
  const commit = await storage.commit({ ...batch, writes });
  if (commit.ok) return undefined;
  const refused = writes[commit.refused];
  if (refused === settled) throw new RecordTaken();
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
