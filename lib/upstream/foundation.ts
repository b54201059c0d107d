import type { Guard } from '../idempotency/commit.ts';
import type { Call } from '../service/port.ts';
import type { ListedStore } from '../storage/port.ts';
import type { Client } from './client.ts';

/** What every part of the service behind Segue stands on. */
export interface Foundation {
  readonly storage: ListedStore;
  readonly client: Client;
  /** Whether a company has an account of its own at the service. */
  readonly isOwnAccount: (companyId: string) => Promise<boolean>;
  /** How custom ids at the service begin. */
  readonly mark: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Text that no other process gives. */
  readonly newId: () => string;
  /** How far off a start date may be, in milliseconds. */
  readonly startDateToleranceMs: number;
  /**
   * The longest time in milliseconds after which what was sent to the service may still take effect, or what took
   * effect may still not be found.
   */
  readonly settleMs: number;
  /** Whether an open creation is looked for only once, because somebody comes again soon. */
  readonly looksOnce?: boolean;
  readonly guard: Guard;
  readonly newEventId?: (() => string) | undefined;
}

/**
 * From when on what a call has sent until now is settled. If the call has no time left, its clock may have been set back:
 * then it is never sooner than planned.
 */
export function settledAfter({ deadline }: Call, plannedMs: number, atMs: number): number {
  return deadline.remainingMs() > 0 ? atMs : Math.max(plannedMs, atMs);
}

/** Kept back of a request's time, for what must still be written once the service has said nothing. */
const LAST_WORD_MS = 1_500;

/** A call whose requests to the service end early enough for what they came to to be written down. */
export function withLastWord(call: Call): Call {
  return { ...call, deadline: { remainingMs: () => Math.max(0, call.deadline.remainingMs() - LAST_WORD_MS) } };
}
