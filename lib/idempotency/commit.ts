import { setImmediate } from 'node:timers/promises';
import { Problem } from '../contract/problem.ts';
import type { Call } from '../service/port.ts';
import type { Batch, ItemStore, Write } from '../storage/port.ts';
import { Overtaken, type Settle } from './exactly-once.ts';
import type { Result } from './once.ts';

/** More than there can be others that are faster: what never fits together is a store that lost something. */
const MOST_ATTEMPTS = 1_000;

/** Tries until nobody else was faster, which `undefined` says, or until there is no time left. */
export async function retryRefused<T>({ deadline }: Call, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; deadline.remainingMs() > 0; attempts++) {
    if (attempts === MOST_ATTEMPTS) throw new RangeError('What the store says of a project does not fit together');
    const result = await attempt();
    if (result !== undefined) return result;
    // A store in this process answers at once: without a pause nobody else would ever come in.
    await setImmediate();
  }
  throw new Problem('unavailable', { detail: 'There was not enough time for the request.', retryAfterSeconds: 1 });
}

/**
 * Commits a batch, together with its result where there is a key.
 * @returns the write that was refused, `undefined` where none was
 * @throws {Overtaken} where another attempt at the request has taken over
 */
export async function commitWith(
  storage: ItemStore,
  batch: Batch,
  settle: Settle | undefined,
  result: Result,
): Promise<Write | undefined> {
  const settled = settle?.(result);
  const writes = settled ? [...batch.writes, settled] : batch.writes;
  const commit = await storage.commit({ ...batch, writes });
  if (commit.ok) return undefined;
  const refused = writes[commit.refused];
  if (refused === settled) throw new Overtaken();
  return refused;
}
