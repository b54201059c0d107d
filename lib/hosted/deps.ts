import type { Guard } from '../idempotency/commit.ts';
import type { Storage } from '../storage/port.ts';

/** The dependencies of every part of the hosted service. */
export interface HostedDeps {
  readonly storage: Storage;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly takeIds: IdSource;
  /** How far a start date may be from now, in milliseconds. */
  readonly startDateToleranceMs: number;
  /** The check that a caller may still delete. */
  readonly guard: Guard;
  /** Makes a globally unique id for an event. If it is absent, no events are recorded. */
  readonly newEventId?: (() => string) | undefined;
  /** How long the operator can restore deleted data, in milliseconds; absent if nobody can. */
  readonly recoverableMs?: number | undefined;
}

/** Returns the first of `count` consecutive ids. */
export type IdSource = (count: number) => number;

const EPOCH_MS = Date.UTC(2026, 0, 1);
/** With so many ids a millisecond, 53 bits last until the year 2060. */
const IDS_PER_MS = 8_192;

/**
 * Makes ascending ids from the time and a random offset. One process never repeats an id. Two processes may pick the same
 * project id: then the store refuses the second project, and it gets other ids.
 * @param now milliseconds since 1970
 * @param random from 0 up to 1
 */
export function idSource(now: () => number, random: () => number): IdSource {
  let next = 1;
  return (count) => {
    const fresh = (now() - EPOCH_MS) * IDS_PER_MS + Math.floor(random() * IDS_PER_MS);
    const first = Math.max(next, fresh);
    next = first + count;
    return first;
  };
}
