import { LIMITS } from '../contract/limits.ts';
import type { LookupName } from '../contract/lookups.ts';
import { type Guard, NO_GUARD } from '../idempotency/commit.ts';
import type { LimitsOf } from '../service/daily-allowance.ts';
import { type Deadline, earlier } from '../service/deadline.ts';
import type { CallContext } from '../service/port.ts';
import { type Retry, retry } from '../service/retry.ts';
import type { ListedStore } from '../storage/port.ts';
import type { Client } from './client.ts';
import { DEFAULT_CUSTOM_ID_PREFIX } from './custom-ids.ts';

/** The dependencies of the code that works with the upstream service. */
export interface UpstreamDeps {
  readonly client: Client;
  /** The store of the ledger and of the request records. */
  readonly storage: ListedStore;
  /** Returns whether a company has its own upstream account. */
  readonly isOwnAccount: (companyId: string) => Promise<boolean>;
  /** The prefix of Segue's custom ids at the upstream service. */
  readonly customIdPrefix: string;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns a text that is unique among all processes. */
  readonly newId: () => string;
  /** How far a start date may be from the current time, in milliseconds. */
  readonly startDateToleranceMs: number;
  /** The settle time: how long the effect of a request may take to be visible everywhere, in milliseconds. */
  readonly propagationMs: number;
  /** Whether to look for a created project only once, because there will be another attempt soon. */
  readonly looksOnce?: boolean;
  /** The check that the caller is still allowed to delete. */
  readonly guard: Guard;
  /** Reads the limits of a company. */
  readonly limitsOf: LimitsOf;
  /** Reads which lookups the operator allows; none without it. */
  readonly allowedLookups?: (() => Promise<readonly LookupName[]>) | undefined;
  /** Creates a globally unique id for an event. */
  readonly newEventId: () => string;
}

type Defaulted = 'isOwnAccount' | 'customIdPrefix' | 'startDateToleranceMs' | 'propagationMs' | 'guard' | 'limitsOf';

/**
 * The dependencies of the upstream service and of its reconciler. These may be left out:
 * - `isOwnAccount`: by default, no company has its own upstream account.
 * - `customIdPrefix`: `segue` by default.
 * - `startDateToleranceMs`: 5 minutes by default.
 * - `propagationMs`: one minute by default.
 * - `guard`: by default, nothing checks whether a caller is still allowed to delete.
 * - `limitsOf`: by default, no company has limits.
 */
export type UpstreamOptions = Omit<UpstreamDeps, Defaulted | 'looksOnce'> & {
  readonly [Name in Defaulted]?: UpstreamDeps[Name] | undefined;
};

const DEFAULT_PROPAGATION_MS = 60_000;

/** Fills in the defaults. */
export function upstreamDeps(options: UpstreamOptions): UpstreamDeps {
  return {
    ...options,
    isOwnAccount: options.isOwnAccount ?? (async () => false),
    customIdPrefix: options.customIdPrefix ?? DEFAULT_CUSTOM_ID_PREFIX,
    startDateToleranceMs: options.startDateToleranceMs ?? LIMITS.startDateToleranceMs,
    propagationMs: options.propagationMs ?? DEFAULT_PROPAGATION_MS,
    guard: options.guard ?? NO_GUARD,
    limitsOf: options.limitsOf ?? (async () => undefined),
  };
}

/**
 * Creates the pauses between reads that wait for a change. They grow from 100 milliseconds to 4 seconds, and are
 * shorter if `propagationMs` is less than a minute.
 */
export function pollBackoff(
  { sleep, propagationMs }: Pick<UpstreamDeps, 'sleep' | 'propagationMs'>,
  deadline: Deadline,
): Retry {
  const firstMs = Math.min(100, propagationMs / 600);
  return retry({ firstMs, longestMs: 40 * firstMs, deadline, sleep });
}

/** The time reserved at the end of a request to record its result, in milliseconds. */
const RECORDING_MS = 1_500;

/**
 * Returns a copy of a call, for its requests to the upstream service. The copy has an earlier deadline, so that time is
 * left to record the result.
 */
export function withTimeToRecord(call: CallContext): CallContext {
  return { ...call, deadline: earlier(call.deadline, RECORDING_MS) };
}

/**
 * Returns the time after which the requests of a call can no longer take effect, in milliseconds since 1970.
 * @param plannedMs the time that the intent of the operation already contains
 * @param atMs the time computed from the current clock. It is too early if the clock was set back. The deadline then
 *   counts as passed, so the later of both times is returned if the call's deadline has passed.
 */
export function settledAfter({ deadline }: CallContext, plannedMs: number, atMs: number): number {
  return deadline.remainingMs() > 0 ? atMs : Math.max(plannedMs, atMs);
}
