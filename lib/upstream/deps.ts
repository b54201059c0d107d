import type { Guard } from '../idempotency/commit.ts';
import type { Deadline } from '../service/deadline.ts';
import type { CallContext } from '../service/port.ts';
import { type Retry, retry } from '../service/retry.ts';
import type { ListedStore } from '../storage/port.ts';
import type { Client } from './client.ts';

/** The dependencies of every part of the upstream service. */
export interface UpstreamDeps {
  readonly client: Client;
  /** The ledger and the records of requests. */
  readonly storage: ListedStore;
  /** Whether a company has an upstream account of its own. */
  readonly isOwnAccount: (companyId: string) => Promise<boolean>;
  /** How custom ids at the upstream service start. */
  readonly customIdPrefix: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns a text that is unique among all processes. */
  readonly newId: () => string;
  /** How far a start date may be from now, in milliseconds. */
  readonly startDateToleranceMs: number;
  /** The settle time: how long a sent request may take to be visible everywhere, in milliseconds. */
  readonly propagationMs: number;
  /** Whether to look for a created project only once, because there will be another attempt soon. */
  readonly looksOnce?: boolean;
  /** The check that a caller may still delete. */
  readonly guard: Guard;
  /** Makes a globally unique id for an event. If it is absent, no events are recorded. */
  readonly newEventId?: (() => string) | undefined;
}

/**
 * The pauses between two reads that wait for a change: from 100 milliseconds to 4 seconds, or shorter if changes become
 * visible everywhere in less than the default minute.
 */
export function pollBackoff(
  { sleep, propagationMs }: Pick<UpstreamDeps, 'sleep' | 'propagationMs'>,
  deadline: Deadline,
): Retry {
  const firstMs = Math.min(100, propagationMs / 600);
  return retry({ firstMs, longestMs: 40 * firstMs, deadline, sleep });
}

/** Time kept back at the end of a request to record what is known, in milliseconds. */
const RECORDING_MS = 1_500;

/** The same call for requests to the upstream service: they end early enough to record the result. */
export function withTimeToRecord(call: CallContext): CallContext {
  return { ...call, deadline: { remainingMs: () => Math.max(0, call.deadline.remainingMs() - RECORDING_MS) } };
}

/**
 * When everything that a call has sent is settled, in milliseconds since 1970. If the call has no time left, its clock may
 * have been set back: then it is never sooner than planned.
 */
export function settledAfter({ deadline }: CallContext, plannedMs: number, atMs: number): number {
  return deadline.remainingMs() > 0 ? atMs : Math.max(plannedMs, atMs);
}
