import type { Guard } from '../idempotency/commit.ts';
import type { LimitsOf } from '../service/daily-allowance.ts';
import type { Storage } from '../storage/port.ts';

/** The dependencies of every part of the hosted service. */
export interface HostedDeps {
  readonly storage: Storage;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly takeIds: IdSource;
  /** How much a start date may differ from the current time, in milliseconds. */
  readonly startDateToleranceMs: number;
  /** Makes the check that a caller may still delete. */
  readonly guard: Guard;
  /** Reads the limits of a company. */
  readonly limitsOf: LimitsOf;
  /** Makes a globally unique id for an event. */
  readonly newEventId: () => string;
  /** Whether the `eventUrl` of a project may also be `http://127.0.0.1:<port>`. */
  readonly allowsLoopbackEvents?: boolean | undefined;
  /** How long the operator can restore deleted data, in milliseconds; absent if the operator cannot restore it. */
  readonly recoverableMs?: number | undefined;
}

/** Reserves `count` consecutive ids of projects, and returns the first. */
export type IdSource = (count: number) => number;

const EPOCH_MS = Date.UTC(2026, 0, 1);
/** The number of ids for each millisecond. With this number, ids stay below 2^53 until the year 2060. */
const IDS_PER_MS = 8_192;

/**
 * Makes a source of ascending ids, which come from the time and a random offset. A process never repeats an id. Two
 * processes may take the same project id. Then the store refuses the second project, and the service takes new ids for
 * it.
 * @param now returns the current time, in milliseconds since 1970
 * @param random returns a number from 0 up to, but not including, 1
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
