import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { Item, ItemStore, Key, Write } from '../storage/port.ts';
import { type RequestIdentity, readRecord, type StoredRequest } from './request-record.ts';

/** How long a key is kept unless the request says otherwise: longer than clients retry. */
export const KEY_RETENTION_MS = retentionMsOf('idempotencyKey');

/** A request that must happen once, however often it is sent. */
export interface IdempotentRequest {
  readonly storage: ItemStore;
  /** Where its record is; see `recordKey`. */
  readonly key: Key;
  readonly meaning: RequestIdentity;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long this attempt may work, in milliseconds. */
  readonly leaseMs: number;
  /** How long the record is kept, in milliseconds; 7 days unless given. An attempt never shortens what an earlier one was promised. */
  readonly retentionMs?: number | undefined;
  /** Whether only an end keeps the record longer, and an attempt that leaves it open does not. */
  readonly keepsExpiry?: boolean;
  /** Whether nobody else can have sent it: then its record is not looked for before it is claimed. */
  readonly isFirst?: boolean;
}

/**
 * Makes the write that records the result. It belongs into the batch that has the effect, so that both happen or
 * neither: a later attempt has changed the record, and then the whole batch is refused.
 */
export type ResultWrite = (result: unknown) => Write;

/** An attempt at a request: nobody else works on it while this one holds its claim. */
export interface Attempt {
  readonly settle: ResultWrite;
  /** Refused where another attempt has taken over: for a batch that must be this attempt's and is no result. */
  readonly held: Extract<Write, { kind: 'check' }>;
  /** What this attempt means to do elsewhere, as it was planned. */
  readonly intent: unknown;
  /** What an earlier attempt meant to do elsewhere, and may have done; `undefined` where none did. */
  readonly before: unknown;
}

/**
 * Ends a request whose record has outlived its time. It belongs to what frees what the request kept: refused where
 * another has done so, or the request is sent anew.
 */
export function forgotten(key: Key, operation: string, nowMs: number): Write {
  const data = { operation, fingerprint: '', leaseEndsAtMs: ENDED_MS, failure: 'outcome-unknown' };
  return { kind: 'insert', key, data, expiresAtMs: nowMs + KEY_RETENTION_MS };
}

/** The end of a lease that was ended: no attempt with an earlier version of the record can commit any more. */
const ENDED_MS = 0;

/**
 * Ends a claim whose lease is over, before somebody says that nothing was done. Its attempt may only be frozen.
 * @param kept a record without a result, as it was read
 * @returns `false` if the record has changed since: then read it again
 */
export async function fence(
  storage: ItemStore,
  key: Key,
  { record, version, expiresAtMs }: StoredRequest,
): Promise<boolean> {
  if (record.leaseEndsAtMs === ENDED_MS) return true;
  const data = { ...record, leaseEndsAtMs: ENDED_MS };
  try {
    return (await storage.commit({ writes: [{ kind: 'replace', key, version, data, expiresAtMs }] })).ok;
  } catch (error) {
    // If it was made after all, the next reading shows it.
    if (error instanceof Problem && error.name === 'outcome-unknown') return false;
    throw error;
  }
}

/**
 * Ends a request that nobody can find out about any more. It is one of a batch that frees what the request kept, and is
 * refused if the record has changed.
 */
export function giveUp(key: Key, { record, version }: StoredRequest, nowMs: number): Write {
  const { operation, fingerprint } = record;
  const data = { operation, fingerprint, leaseEndsAtMs: ENDED_MS, failure: 'outcome-unknown' };
  return { kind: 'replace', key, version, data, expiresAtMs: nowMs + KEY_RETENTION_MS };
}

/** What an attempt means to do elsewhere, where it cannot be committed together with its result. */
export interface Plan {
  /** Kept with the claim: from then on it may have been done, until a result or a failure says otherwise. */
  readonly intent?: unknown;
  /** What happens together with the claim, or not at all. */
  readonly writes: readonly Write[];
  /** What happens together with a failure with nothing done. */
  readonly undo: readonly Write[];
  /** What it means that one of `writes` was refused. */
  readonly refused: (write: Write) => Promise<Problem>;
}

/** The plan of work that is all in the store. */
const NO_PLAN: Plan = {
  writes: [],
  undo: [],
  refused: async () => {
    throw new RangeError('Nothing was planned that could be refused');
  },
};

/** Thrown by work whose batch was refused because its claim is another attempt's by now. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Thrown by work that cannot tell whether what it meant to do elsewhere was done. The next attempt has to find out. */
export class OutcomeOpen extends Error {
  override readonly name = 'OutcomeOpen';
  /** What the caller is told. */
  readonly problem: Problem;
  /** What the next attempt has to know. */
  readonly intent: unknown;

  constructor(problem: Problem, intent: unknown) {
    super(problem.message, { cause: problem });
    this.problem = problem;
    this.intent = intent;
  }
}

/** Thrown by work that cannot find out whether it was done elsewhere. It ends the request, which would stay open for ever. */
export class OutcomeLost extends Problem {
  constructor({ name, occurrence }: Problem) {
    super(name, occurrence);
  }
}

/**
 * What became of a request: done now, or before by another attempt. Before may still be open; then there is no result,
 * and only a request that means something else is told.
 */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'before'; readonly meaning: RequestIdentity; readonly result: unknown };

/**
 * Does work once under a key. The key is claimed, the work's effect and its result are committed together, and whoever
 * comes later gets the result. Work that fails leaves the key free, unless it was committed after all and only the
 * answer was lost, or another attempt has done it: then the result is given.
 * @param planOf asked before every claim for what is to be kept with it; it gets what an earlier attempt has kept
 * @throws {Problem} `request-in-progress` while another attempt is at work; if the attempt was ended while it was at work,
 *   `unavailable`, or `outcome-unknown` where its plan has an intent; whatever the work throws, and for `OutcomeOpen` its
 *   problem
 */
export async function runIdempotent<T>(
  request: IdempotentRequest,
  work: (attempt: Attempt) => Promise<T>,
  planOf: (before: unknown) => Promise<Plan> = async () => NO_PLAN,
): Promise<Outcome<T>> {
  const { storage, key, meaning, now } = request;
  let isAgain = false;
  let held: Plan | undefined;
  for (;;) {
    const item = isAgain ? await readEnd(request) : await readBegin(request);
    const kept = item && readRecord(item);
    const isLive = item !== undefined && (item.expiresAtMs ?? 0) > now();
    if (kept && isLive) {
      const { operation, fingerprint, result, leaseEndsAtMs, intent } = kept.record;
      const before = { kind: 'before', meaning: { operation, fingerprint }, result } as const;
      if (result !== undefined) return before;
      if (leaseEndsAtMs > now()) throw inProgress(leaseEndsAtMs - now());
      if (intent !== undefined && !isSameRequest(kept.record, meaning)) return before;
      // Somebody may have been told that nothing was done, and so nothing more is.
      if (intent === undefined && held) throw givenUp(held);
    }
    let plan: Plan;
    try {
      plan = await planOf(kept?.record.intent);
    } catch (error) {
      // What stands in the way may be what another attempt has done meanwhile.
      if (request.isFirst || (await storage.read(key))?.version === item?.version) throw error;
      continue;
    }
    const value = await attempt(request, kept, plan, work);
    if (value !== OVERTAKEN && value !== NOT_CLAIMED) return { kind: 'done', value };
    isAgain = true;
    if (value === OVERTAKEN) held = plan;
  }
}

async function readBegin({ storage, key, isFirst }: IdempotentRequest): Promise<Item | undefined> {
  return isFirst ? undefined : storage.read(key);
}

/** Reads what became of a request that was worked on. Where that cannot be read, nobody can say that nothing was done. */
async function readEnd({ storage, key }: IdempotentRequest): Promise<Item | undefined> {
  try {
    return await storage.read(key);
  } catch (cause) {
    throw new Problem('outcome-unknown', { detail: 'What became of the request cannot be read now.' }, { cause });
  }
}

const OVERTAKEN = Symbol('overtaken');
/** Another attempt was faster, and this one has not begun. */
const NOT_CLAIMED = Symbol('not claimed');

/** Claims the request, does the work, and ends the claim in the way that the work ended. */
async function attempt<T>(
  { storage, key, meaning, now, leaseMs, retentionMs = KEY_RETENTION_MS, keepsExpiry = false }: IdempotentRequest,
  kept: StoredRequest | undefined,
  { intent, writes, undo, refused }: Plan,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T | typeof OVERTAKEN | typeof NOT_CLAIMED> {
  const open = intent === undefined ? {} : { intent };
  const claim = await storage.commit({ writes: [write(kept?.version, { ...working(), ...open }), ...writes] });
  if (!claim.ok) {
    const cause = claim.refused === 0 ? undefined : writes[claim.refused - 1];
    if (cause) throw await refused(cause);
    return NOT_CLAIMED;
  }
  const version = (kept?.version ?? 0) + 1;
  try {
    return await work({
      settle: (result) => write(version, { ...working(), result }, true),
      held: { kind: 'check', key, version },
      intent,
      before: kept?.record.intent,
    });
  } catch (error) {
    if (error instanceof Overtaken) return OVERTAKEN;
    if (!(await end(error))) return OVERTAKEN;
    throw error instanceof OutcomeOpen ? error.problem : error;
  }

  function working() {
    return { ...meaning, leaseEndsAtMs: now() + leaseMs };
  }

  function write(from: number | undefined, data: unknown, isEnd = false): Write {
    const keptUntilMs = kept?.expiresAtMs ?? 0;
    const expiresAtMs = keepsExpiry && !isEnd ? keptUntilMs : Math.max(now() + retentionMs, keptUntilMs);
    const content = { key, data, expiresAtMs };
    return from === undefined ? { kind: 'insert', ...content } : { kind: 'replace', version: from, ...content };
  }

  /**
   * Ends a claim whose work failed. The record stays: were it removed, the next attempt would have the number of this
   * one, and what is still on its way of this one would pass for it.
   * @returns `false` where the claim is not this attempt's any more: then the work was committed and its answer lost,
   *   or it failed because another attempt has done it, and the record says which
   */
  async function end(error: unknown): Promise<boolean> {
    try {
      return (await storage.commit({ writes: ending(error) })).ok;
    } catch {
      // The claim ends by itself, and what the work failed with is what the caller must know.
      return true;
    }
  }

  function ending(error: unknown): Write[] {
    const ended = { ...meaning, leaseEndsAtMs: ENDED_MS };
    if (error instanceof OutcomeOpen) return [write(version, { ...ended, intent: error.intent })];
    const isEnd = error instanceof OutcomeLost || (error instanceof Problem && isUndone(error));
    // What may have been done elsewhere stays open, whatever went wrong here.
    if (intent !== undefined && !isEnd) return [write(version, { ...ended, intent })];
    return [write(version, { ...ended, ...(isEnd && { failure: error.name }) }, true), ...undo];
  }
}

function isUndone({ name }: Problem): boolean {
  return PROBLEMS[name].outcome === 'not-applied';
}

/** Work mostly ends long before it has to: who waits asks again soon. */
const MOST_RETRY_SECONDS = 2;

function inProgress(leftMs: number): Problem {
  return new Problem('request-in-progress', {
    detail: 'Another request with this key is being worked on.',
    retryAfterSeconds: Math.min(MOST_RETRY_SECONDS, Math.max(1, Math.ceil(leftMs / 1_000))),
  });
}

function givenUp({ intent }: Plan): Problem {
  // What it meant to do elsewhere it may have done after that.
  if (intent !== undefined) {
    return new Problem('outcome-unknown', { detail: 'The request was given up before it was finished.' });
  }
  return new Problem('unavailable', {
    detail: 'The request was given up before it was finished. Nothing was done.',
    retryAfterSeconds: 1,
  });
}

/** Whether two requests under one key mean the same. */
export function isSameRequest(one: RequestIdentity, other: RequestIdentity): boolean {
  return one.operation === other.operation && one.fingerprint === other.fingerprint;
}
