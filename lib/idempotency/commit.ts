import { setImmediate } from 'node:timers/promises';
import { utc } from '../contract/date.ts';
import type { DomainEvent } from '../contract/event.ts';
import { Problem } from '../contract/problem.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { Call } from '../service/port.ts';
import type { Batch, ItemStore, Write } from '../storage/port.ts';
import { companyPartition } from './project-item.ts';
import type { RequestResult } from './replay.ts';
import { Overtaken, type ResultWrite } from './run-idempotent.ts';

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
export async function commitWithResult(
  storage: ItemStore,
  batch: Batch,
  settle: ResultWrite | undefined,
  result: RequestResult,
): Promise<Write | undefined> {
  const settled = settle?.(result);
  const writes = settled ? [...batch.writes, settled] : batch.writes;
  const commit = await storage.commit({ ...batch, writes });
  if (commit.ok) return undefined;
  const refused = writes[commit.refused];
  if (refused === settled) throw new Overtaken();
  return refused;
}

/** What must still hold of the caller when its deletion is committed; `undefined` where nothing can have changed. */
export interface Guard {
  /** As its credentials were proved a while ago: asks nobody. `undefined` too where they do not tell. */
  presume(call: Call): Write | undefined;
  /** As it is now. @throws {Problem} where it does not hold any more */
  require(call: Call): Promise<Write | undefined>;
}

/** Nothing has to hold. */
export const NO_GUARD: Guard = { presume: () => undefined, require: async () => undefined };

/** Whether anybody listens, and when it is. */
export interface EventDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A name for the record of what happened, which no other process gives; absent where nobody listens. */
  readonly newEventId?: (() => string) | undefined;
}

/** The record of what a commit does, for those who listen; it belongs into the commit's batch. */
export function eventWrites(
  { now, newEventId }: EventDeps,
  { companyId, requestId }: Pick<Call, 'companyId' | 'requestId'>,
  what: Pick<DomainEvent, 'type' | 'projectId' | 'taskId'>,
): Write[] {
  if (!newEventId) return [];
  const data: DomainEvent = { id: newEventId(), ...what, companyId, requestId, atUtc: utc(now()) };
  const key = { partition: companyPartition(companyId), sort: `event/${data.id}` };
  return [{ kind: 'insert', key, data, expiresAtMs: now() + retentionMsOf('event') }];
}
