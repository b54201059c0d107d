import { setImmediate } from 'node:timers/promises';
import { utc } from '../contract/date.ts';
import type { DomainEvent } from '../contract/event.ts';
import { Problem } from '../contract/problem.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { CallContext } from '../service/port.ts';
import type { Batch, ItemStore, Write } from '../storage/port.ts';
import { companyPartition } from './project-item.ts';
import type { RequestResult } from './replay.ts';
import { ClaimLost, type ResultWrite } from './run-idempotent.ts';

/** More than there can be faster rivals: a batch that is always refused means that the store lost something. */
const MAX_ATTEMPTS = 1_000;

/**
 * Repeats an attempt until it returns a value. `undefined` means that a rival's commit came first.
 * @throws {Problem} `unavailable` when the time is up
 */
export async function retryRefused<T>({ deadline }: CallContext, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; deadline.remainingMs() > 0; attempts++) {
    if (attempts === MAX_ATTEMPTS) throw new RangeError('The records of a project contradict each other');
    const result = await attempt();
    if (result !== undefined) return result;
    // A store in this process answers at once: without a pause no rival would get its turn.
    await setImmediate();
  }
  throw new Problem('unavailable', { detail: 'Segue ran out of time. Nothing was done.', retryAfterSeconds: 1 });
}

/**
 * Commits a batch, together with its result if the request has a key.
 * @returns the write that was refused; `undefined` if the batch was committed
 * @throws {ClaimLost} if another attempt has claimed the request
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
  if (refused === settled) throw new ClaimLost();
  return refused;
}

/** Makes the check that the caller may still delete, for the batch of the deletion; `undefined` if no check is needed. */
export interface Guard {
  /** Returns a check that the caller's credentials still are as they were proved. It reads nothing. */
  presume(call: CallContext): Write | undefined;
  /**
   * Reads whether the caller may delete now.
   * @throws {Problem} `unauthenticated` if not
   */
  require(call: CallContext): Promise<Write | undefined>;
}

export const NO_GUARD: Guard = { presume: () => undefined, require: async () => undefined };

export interface EventDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes a globally unique id. If it is absent, nobody listens and no events are recorded. */
  readonly newEventId?: (() => string) | undefined;
}

/** Makes the record of a domain event, for the batch that causes it. */
export function eventWrites(
  { now, newEventId }: EventDeps,
  { companyId, requestId }: Pick<CallContext, 'companyId' | 'requestId'>,
  event: Pick<DomainEvent, 'type' | 'projectId' | 'taskId'>,
): Write[] {
  if (!newEventId) return [];
  const data: DomainEvent = { id: newEventId(), ...event, companyId, requestId, atUtc: utc(now()) };
  const key = { partition: companyPartition(companyId), sort: `event/${data.id}` };
  return [{ kind: 'insert', key, data, expiresAtMs: now() + retentionMsOf('event') }];
}
