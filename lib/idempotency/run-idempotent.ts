import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import type { Item, ItemStore, Key, Write } from '../storage/port.ts';
import {
  ENDED_MS,
  isSameRequest,
  KEY_RETENTION_MS,
  type RequestIdentity,
  readRecord,
  type StoredRequest,
} from './request-record.ts';

/*
 * The state machine of a request. Its state is its record, one item of the store; the item's version is the fencing
 * token of the attempt that wrote it. Each transition is a conditional write of that version.
 *
 *   state    the record has                     transitions, and who may make them
 *   free     no record, an expired one, or      → claimed: any attempt
 *            neither lease, intent nor result
 *   claimed  a lease that has not ended;        → done: its attempt, in the commit that has the effect
 *            an intent, if the work is done     → free: its attempt, if the work failed with nothing done
 *            elsewhere                          → open: its attempt, if the work may have been done elsewhere
 *                                               → free or open by time: the lease ends without a word
 *   open     an intent, and no lease            → claimed: an attempt at the same request, which must find out first
 *                                               → free: giveUp, if nobody can find out any more
 *   done     a result                           → free by time: the record expires
 *
 * A lease that ended by time does not stop its attempt, which may only be frozen. So `fence` rewrites the record before
 * anybody says that nothing was done: then the version has changed, and the frozen attempt can no longer commit.
 * No transition removes the record. Otherwise its versions would begin anew, and a late write of an old attempt would
 * match a new one.
 */

/** A request that must run once, however often it is sent. */
export interface IdempotentRequest {
  readonly storage: ItemStore;
  /** The key of its record; see `recordKey`. */
  readonly key: Key;
  readonly meaning: RequestIdentity;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long this attempt may work, in milliseconds. */
  readonly leaseMs: number;
  /** How long the record is kept, in milliseconds; 7 days unless given. A retry never makes the expiry earlier. */
  readonly retentionMs?: number | undefined;
  /** Whether the record keeps its expiry while the request is open. The end of the request still extends the expiry. */
  readonly keepsExpiry?: boolean;
  /** Whether no earlier request can have this key. Then the key is claimed without reading its record first. */
  readonly isFirst?: boolean;
}

/**
 * Makes the write that records the result. Put it into the batch that has the effect, so that both happen or neither.
 * The batch is refused if a later attempt has claimed the request.
 */
export type ResultWrite = (result: unknown) => Write;

/** An attempt at a request. It alone works on the request while it holds the claim. */
export interface Attempt {
  readonly settle: ResultWrite;
  /** Checks that this attempt still holds the claim. Add it to a batch that needs the claim but records no result. */
  readonly held: Extract<Write, { kind: 'check' }>;
  /** The intent of this attempt's plan. */
  readonly intent: unknown;
  /** The intent of an earlier attempt, which may have been carried out; `undefined` if there is none. */
  readonly before: unknown;
}

/** The plan of an attempt that changes another service. That change cannot be committed together with the result. */
export interface Plan {
  /** The intended change, stored with the claim. It counts as possibly done until a result or a failure is recorded. */
  readonly intent?: unknown;
  /** Writes that are committed together with the claim. */
  readonly writes: readonly Write[];
  /** Writes that are committed together with a failure if nothing was done. */
  readonly undo: readonly Write[];
  /** Explains why one of `writes` was refused. */
  readonly refused: (write: Write) => Promise<Problem>;
}

/** The plan of work that is all in the store. */
const NO_PLAN: Plan = {
  writes: [],
  undo: [],
  refused: async () => {
    throw new RangeError('An empty plan has no write that could be refused');
  },
};

/** Thrown by work whose batch was refused because another attempt has claimed the request. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** Thrown by work that cannot tell yet whether its intent was carried out. The next attempt must find out. */
export class OutcomeOpen extends Error {
  override readonly name = 'OutcomeOpen';
  /** The caller gets this problem. */
  readonly problem: Problem;
  /** The next attempt gets this intent. */
  readonly intent: unknown;

  constructor(problem: Problem, intent: unknown) {
    super(problem.message, { cause: problem });
    this.problem = problem;
    this.intent = intent;
  }
}

/** Thrown by work that can never find out whether its intent was carried out. It ends the request. */
export class OutcomeLost extends Problem {
  constructor({ name, occurrence }: Problem) {
    super(name, occurrence);
  }
}

/**
 * The outcome of a request. `done`: this call ran the work. `before`: an earlier request used the key; its result is
 * `undefined` while it is open.
 */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'before'; readonly meaning: RequestIdentity; readonly result: unknown };

/** An attempt that ended without an outcome: it was too late to claim, or lost its claim at work. */
type Lost = { readonly kind: 'not-claimed' } | { readonly kind: 'overtaken'; readonly plan: Plan };

/**
 * Runs work once under a key. It claims the key, runs the work, and commits the effect together with the result. Later
 * requests with the key get that result. If the work fails, the key is free again.
 * @param planOf called before every claim with the intent of an earlier attempt
 * @throws {Problem} `request-in-progress` while another attempt is at work
 * @throws {Problem} `unavailable` if this attempt lost its claim and left no result; with an intent, `outcome-unknown`
 * @throws any error of `planOf` and `work`; for `OutcomeOpen`, its problem
 */
export async function runIdempotent<T>(
  request: IdempotentRequest,
  work: (attempt: Attempt) => Promise<T>,
  planOf: (before: unknown) => Promise<Plan> = async () => NO_PLAN,
): Promise<Outcome<T>> {
  const { storage, key, meaning, now } = request;
  let last: Lost | undefined;
  for (;;) {
    const item = last ? await readAfterAttempt(request) : await readBeforeAttempt(request);
    const stored = item && readRecord(item);
    if (stored && stored.expiresAtMs > now()) {
      const { operation, fingerprint, result, leaseEndsAtMs, intent } = stored.record;
      const before = { kind: 'before', meaning: { operation, fingerprint }, result } as const;
      if (result !== undefined) return before;
      if (leaseEndsAtMs > now()) throw inProgress(leaseEndsAtMs - now());
      if (intent !== undefined && !isSameRequest(stored.record, meaning)) return before;
      // A client may have been told that nothing was done, so this request must not do more.
      if (intent === undefined && last?.kind === 'overtaken') throw fencedOff(last.plan);
    }
    let plan: Plan;
    try {
      plan = await planOf(stored?.record.intent);
    } catch (error) {
      // The obstacle may be the work of another attempt: read the record again if it has changed.
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

/** If the record cannot be read after an attempt, nobody can say that nothing was done. */
async function readAfterAttempt({ storage, key }: IdempotentRequest): Promise<Item | undefined> {
  try {
    return await storage.read(key);
  } catch (cause) {
    throw new Problem(
      'outcome-unknown',
      { detail: 'Segue cannot read the result of the request at the moment.' },
      { cause },
    );
  }
}

/** Claims the request, runs the work, and records how it ended. */
async function attempt<T>(
  { storage, key, meaning, now, leaseMs, retentionMs = KEY_RETENTION_MS, keepsExpiry = false }: IdempotentRequest,
  stored: StoredRequest | undefined,
  plan: Plan,
  work: (attempt: Attempt) => Promise<T>,
): Promise<Extract<Outcome<T>, { kind: 'done' }> | Lost> {
  const { intent, writes, undo } = plan;
  const open = intent === undefined ? {} : { intent };
  const claim = await storage.commit({ writes: [write(stored?.version, { ...leased(), ...open }), ...writes] });
  if (!claim.ok) {
    const refused = claim.refused === 0 ? undefined : writes[claim.refused - 1];
    if (refused) throw await plan.refused(refused);
    return { kind: 'not-claimed' };
  }
  const version = (stored?.version ?? 0) + 1;
  try {
    const value = await work({
      settle: (result) => write(version, { ...leased(), result }, true),
      held: { kind: 'check', key, version },
      intent,
      before: stored?.record.intent,
    });
    return { kind: 'done', value };
  } catch (error) {
    if (error instanceof ClaimLost || !(await release(error))) return { kind: 'overtaken', plan };
    throw error instanceof OutcomeOpen ? error.problem : error;
  }

  function leased() {
    return { ...meaning, leaseEndsAtMs: now() + leaseMs };
  }

  function write(from: number | undefined, data: unknown, isEnd = false): Write {
    const keptUntilMs = stored?.expiresAtMs ?? 0;
    const expiresAtMs = keepsExpiry && !isEnd ? keptUntilMs : Math.max(now() + retentionMs, keptUntilMs);
    const content = { key, data, expiresAtMs };
    return from === undefined ? { kind: 'insert', ...content } : { kind: 'replace', version: from, ...content };
  }

  /**
   * Ends the claim of work that failed.
   * @returns `false` if the claim is lost: either the work was committed and only its answer lost, or another attempt has
   *   taken over. The record says which.
   */
  async function release(error: unknown): Promise<boolean> {
    try {
      return (await storage.commit({ writes: releaseWrites(error) })).ok;
    } catch {
      // The lease ends by itself, and the caller needs the error of the work.
      return true;
    }
  }

  function releaseWrites(error: unknown): Write[] {
    const ended = { ...meaning, leaseEndsAtMs: ENDED_MS };
    if (error instanceof OutcomeOpen) return [write(version, { ...ended, intent: error.intent })];
    const isEnd = error instanceof OutcomeLost || (error instanceof Problem && isNotApplied(error));
    // An intent that may have been carried out stays open, whatever failed here.
    if (intent !== undefined && !isEnd) return [write(version, { ...ended, intent })];
    return [write(version, { ...ended, ...(isEnd && { failure: error.name }) }, true), ...undo];
  }
}

function isNotApplied({ name }: Problem): boolean {
  return PROBLEMS[name].outcome === 'not-applied';
}

/** Work mostly ends long before its lease, so clients should ask again soon. */
const MAX_RETRY_SECONDS = 2;

function inProgress(leftMs: number): Problem {
  return new Problem('request-in-progress', {
    detail: 'Another request with this key is in progress.',
    retryAfterSeconds: Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(leftMs / 1_000))),
  });
}

function fencedOff({ intent }: Plan): Problem {
  // An intent may have been carried out after the record was read.
  if (intent !== undefined) {
    return new Problem('outcome-unknown', {
      detail: 'Segue stopped the request before it finished. It may have taken effect.',
    });
  }
  return new Problem('unavailable', {
    detail: 'Segue stopped the request before it finished. Nothing was done.',
    retryAfterSeconds: 1,
  });
}
