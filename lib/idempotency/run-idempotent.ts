import { requestInProgress } from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import {
  ENDED_MS,
  KEY_RETENTION_MS,
  type RequestIdentity,
  readRecord,
  type StoredRequest,
} from '../records/request-record.ts';
import type { Item, ItemStore, Key, Write } from '../storage/port.ts';
import { RecordTaken, type ResultWrite } from './commit.ts';
import { isFencedSince } from './fence.ts';
import { isSameRequest } from './identity.ts';

/*
 * The state machine of a request. The record of the request, one item of the store, contains its state. The version of
 * the item is the fencing token of the attempt that wrote it. Each transition is a write that requires this version.
 *
 *   state    the record has                     transitions
 *   free     no record, an expired record, or   → claimed: by any attempt
 *            no lease, intent and result
 *   claimed  a lease that has not ended; also   → done: by its attempt, in the commit that has the effect
 *            an intent, if the work changes     → free: by its attempt, if the work failed and had no effect
 *            another service                    → open: by its attempt, if the other service may have done the work
 *                                               → free or open: by time, when the lease ends
 *   open     an intent, and no lease            → claimed: by an attempt at the same request, which must first find out
 *                                                 whether the intent was carried out
 *                                               → free: by `giveUp`, if nobody can find out any more
 *   done     a result                           → free: by time, when the record expires
 *
 * The end of a lease does not stop its attempt, which may be frozen and wake up later. So `fence` rewrites the record
 * before Segue reports that nothing was done. The rewrite changes the version, so that the frozen attempt can no longer
 * commit.
 *
 * No transition removes the record. Otherwise its versions would start again at 1, and a late write of an old attempt
 * could match the version of a new attempt.
 */

/** A request that must run only once, even if the client sends it several times. */
export interface IdempotentRequest {
  readonly storage: ItemStore;
  /** The storage key of the request's record, from `recordKey`. */
  readonly key: Key;
  /** The operation and content of the request, to compare with other requests under the key. */
  readonly identity: RequestIdentity;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** How long the lease of an attempt lasts, in milliseconds. */
  readonly leaseMs: number;
  /** How long the record is kept, in milliseconds; 7 days by default. A retry never makes the record expire earlier. */
  readonly retentionMs?: number | undefined;
  /** Whether the expiry of the record stays unchanged until the request ends. By default, each attempt extends it. */
  readonly keepsExpiry?: boolean;
  /** Whether no earlier request can have used this key. Then the first attempt does not read the record first. */
  readonly isFirst?: boolean;
}

/** An attempt at a request that has claimed it. While the claim holds, no other attempt works on the request. */
export interface Attempt {
  readonly resultWrite: ResultWrite;
  /** A check that this attempt still holds the claim, for a batch that needs the claim but records no result. */
  readonly held: Extract<Write, { kind: 'check' }>;
  /** The intent in the plan of this attempt. */
  readonly intent: unknown;
  /** The intent of an earlier attempt, if any. The other service may have carried it out. */
  readonly before: unknown;
}

/**
 * The plan of an attempt that changes another service. The store cannot commit that change together with the result. So
 * the intended change is stored before the attempt makes it. If no result is stored, the next attempt first finds out
 * whether the change was made.
 */
export interface Plan {
  /**
   * The change to the other service, stored with the claim. Until the record has a result or a failure, the other
   * service may have made the change.
   */
  readonly intent?: unknown;
  /** Writes that are committed together with the claim. */
  readonly writes: readonly Write[];
  /** Writes that are committed together with a failure that had no effect. */
  readonly undo: readonly Write[];
  /** Returns the problem for one of `writes` that the store refused; `undefined` if another plan may succeed. */
  readonly refused: (write: Write) => Promise<Problem | undefined>;
}

/** The plan of work that changes nothing outside the store. */
export const NO_PLAN: Plan = {
  writes: [],
  undo: [],
  refused: async () => {
    throw new RangeError('An empty plan has no write that could be refused');
  },
};

/**
 * The error that work throws if it does not know yet whether the other service made the planned change. The next
 * attempt must find out.
 */
export class OutcomeOpen extends Error {
  override readonly name = 'OutcomeOpen';
  /** The problem for the caller. */
  readonly problem: Problem;
  /** The intent for the next attempt. */
  readonly intent: unknown;

  constructor(problem: Problem, intent: unknown) {
    super(problem.message, { cause: problem });
    this.problem = problem;
    this.intent = intent;
  }
}

/**
 * The error that work throws if nobody can ever find out whether the other service made the planned change. The error
 * ends the request.
 */
export class OutcomeLost extends Problem {
  constructor({ name, occurrence }: Problem) {
    super(name, occurrence);
  }
}

/**
 * The outcome of a request. `done`: this call ran the work. `before`: an earlier request used the key. Its result is
 * `undefined` if nobody knows yet whether it took effect.
 */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | {
      readonly kind: 'before';
      readonly identity: RequestIdentity;
      readonly result: unknown;
      /** Present if this call may have stored the result itself, and then lost the answer of the store. */
      readonly mayBeOwn?: true;
    };

/**
 * The end of an attempt without an outcome. `not-claimed`: another attempt claimed the request first. `overtaken`: the
 * attempt lost its claim while it worked, or cannot tell whether its commit was made.
 */
type Lost = { readonly kind: 'not-claimed' } | { readonly kind: 'overtaken'; readonly plan: Plan };

/**
 * Runs work once under an idempotency key. Claims the key and runs the work, which commits its effect together with its
 * result. Later requests with the key get this result. If the work fails without an effect, the key is free again.
 * @param planOf makes the plan of an attempt; called before each claim with the intent of an earlier attempt, if any
 * @throws {Problem} `request-in-progress` while another attempt is running
 * @throws {Problem} if this attempt lost its claim and the record has no result: `outcome-unknown` if its plan has an
 *   intent, and `unavailable` if not
 * @throws {Problem} `outcome-unknown` if this attempt lost its claim and the record cannot be read
 * @throws any error of `planOf` and `work`; instead of an `OutcomeOpen`, its problem
 */
export async function runIdempotent<T>(
  request: IdempotentRequest,
  work: (attempt: Attempt) => Promise<T>,
  planOf: (before: unknown) => Promise<Plan> = async () => NO_PLAN,
): Promise<Outcome<T>> {
  const { storage, key, identity, now } = request;
  const startedAtMs = now();
  let last: Lost | undefined;
  let known: StoredRequest | undefined;
  for (;;) {
    const item = last ? await readAfterAttempt(request) : await readBeforeAttempt(request);
    const stored = item && readRecord(item);
    if (stored && stored.expiresAtMs > now()) {
      const { operation, fingerprint, result, leaseEndsAtMs, intent } = stored.record;
      const own = last?.kind === 'overtaken' && ({ mayBeOwn: true } as const);
      const before = { kind: 'before', identity: { operation, fingerprint }, result, ...own } as const;
      if (result !== undefined) return before;
      if (leaseEndsAtMs > now()) throw inProgress(leaseEndsAtMs - now());
      if (intent !== undefined && !isSameRequest(stored.record, identity)) return before;
      // Another call may have fenced this attempt off and reported that nothing was done. So this call must not run the
      // work.
      if (intent === undefined && last?.kind === 'overtaken') throw fencedOff(last.plan);
      if (intent === undefined && last && isFencedSince(stored.record, known?.record, startedAtMs)) throw fencedOff();
    }
    known = stored;
    let plan: Plan;
    try {
      plan = await planOf(stored?.record.intent);
    } catch (error) {
      // Another attempt may have caused the error, for example by using the custom id. If it has changed the record,
      // start again with the changed record.
      if (request.isFirst || (await storage.read(key))?.version === item?.version) throw error;
      continue;
    }
    const ended = await attempt(request, stored, plan, work);
    if (ended.kind === 'done') return ended;
    last = ended.kind === 'overtaken' ? ended : (last ?? ended);
  }
}

async function readBeforeAttempt({ storage, key, isFirst }: IdempotentRequest): Promise<Item | undefined> {
  return isFirst ? undefined : storage.read(key);
}

/**
 * Reads the record after an attempt that ended without an outcome.
 * @throws {Problem} `outcome-unknown` if the record cannot be read, because the attempt may have had its effect
 */
async function readAfterAttempt({ storage, key }: IdempotentRequest): Promise<Item | undefined> {
  try {
    return await storage.read(key);
  } catch (cause) {
    throw resultUnread(cause);
  }
}

/**
 * Makes one attempt: claims the request and runs the work. If the work fails, records the failure and ends the claim.
 */
async function attempt<T>(
  { storage, key, identity, now, leaseMs, retentionMs = KEY_RETENTION_MS, keepsExpiry = false }: IdempotentRequest,
  stored: StoredRequest | undefined,
  plan: Plan,
  work: (attempt: Attempt) => Promise<T>,
): Promise<Extract<Outcome<T>, { kind: 'done' }> | Lost> {
  const { intent, writes, undo } = plan;
  const open = intent === undefined ? {} : { intent };
  // A new attempt starts without the result, intent and failure of earlier ones. What a newer release recorded stays.
  const { result: _, intent: __, failure: ___, ...before } = stored?.record ?? {};
  const claim = await storage.commit({ writes: [write(stored?.version, { ...leased(), ...open }), ...writes] });
  if (!claim.ok) {
    const refused = claim.refused === 0 ? undefined : writes[claim.refused - 1];
    const problem = refused && (await plan.refused(refused));
    if (problem) throw problem;
    return { kind: 'not-claimed' };
  }
  const version = (stored?.version ?? 0) + 1;
  try {
    const value = await work({
      resultWrite: (result) => write(version, { ...leased(), result }, true),
      held: { kind: 'check', key, version },
      intent,
      before: stored?.record.intent,
    });
    return { kind: 'done', value };
  } catch (error) {
    if (error instanceof RecordTaken || !(await release(error))) return { kind: 'overtaken', plan };
    throw error instanceof OutcomeOpen ? error.problem : error;
  }

  function leased() {
    return { ...before, ...identity, leaseEndsAtMs: now() + leaseMs };
  }

  function write(from: number | undefined, data: unknown, isEnd = false): Write {
    const keptUntilMs = stored?.expiresAtMs ?? 0;
    const expiresAtMs = keepsExpiry && !isEnd ? keptUntilMs : Math.max(now() + retentionMs, keptUntilMs);
    const content = { key, data, expiresAtMs };
    return from === undefined ? { kind: 'insert', ...content } : { kind: 'replace', version: from, ...content };
  }

  /**
   * Ends the claim after the work failed.
   * @returns `false` if the claim is lost. Either the work was committed and only the store's answer was lost, or
   *   another attempt has taken over. The record shows which.
   */
  async function release(error: unknown): Promise<boolean> {
    try {
      return (await storage.commit({ writes: releaseWrites(error) })).ok;
    } catch {
      // Ignore this error: the lease ends by itself, and the caller needs the error of the work.
      return true;
    }
  }

  function releaseWrites(error: unknown): Write[] {
    const ended = { ...before, ...identity, leaseEndsAtMs: ENDED_MS };
    if (error instanceof OutcomeOpen) return [write(version, { ...ended, intent: error.intent })];
    const isEnd = error instanceof OutcomeLost || isNotApplied(error);
    // The other service may have carried out the intent, so the request stays open.
    if (intent !== undefined && !isEnd) return [write(version, { ...ended, intent })];
    return [write(version, { ...ended, ...(isEnd && { failure: error.name }) }, true), ...undo];
  }
}

/** Makes the problem of a request that may have taken effect, although its result cannot be read. */
export function resultUnread(cause: unknown): Problem {
  const detail = 'Segue cannot read the result of the request at the moment. The request may have taken effect.';
  return new Problem('outcome-unknown', { detail }, { cause });
}

/** Whether an error is a problem that says that nothing was done. */
export function isNotApplied(error: unknown): error is Problem {
  return error instanceof Problem && PROBLEMS[error.name].outcome === 'not-applied';
}

/** The maximum pause before a retry, in seconds. Most work ends long before its lease, so clients may retry soon. */
const MAX_RETRY_SECONDS = 2;

/** Makes the problem of a request whose key is claimed. @param leftMs the time until the lease ends, in milliseconds */
export function inProgress(leftMs: number): Problem {
  return requestInProgress(Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(leftMs / 1_000))));
}

/** Makes the problem of an attempt that can no longer commit. @param plan the plan of the attempt, if it had one */
export function fencedOff({ intent }: Pick<Plan, 'intent'> = {}): Problem {
  // The other service may have carried out the intent.
  if (intent !== undefined) {
    return new Problem('outcome-unknown', {
      detail: 'Segue stopped the request before it finished. The request may have taken effect.',
    });
  }
  return new Problem('unavailable', {
    detail: 'Segue stopped the request before it finished. Nothing was done. Send the request again.',
    retryAfterSeconds: 1,
  });
}
