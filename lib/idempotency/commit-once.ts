import { Problem } from '../contract/problem.ts';
import {
  ENDED_MS,
  KEY_RETENTION_MS,
  type RequestRecord,
  readRecord,
  type StoredRequest,
} from '../records/request-record.ts';
import type { Write } from '../storage/port.ts';
import { RecordTaken, type ResultWrite } from './commit.ts';
import { isFencedSince } from './fence.ts';
import { fencedOff, type IdempotentRequest, inProgress, isNotApplied, type Outcome } from './run-idempotent.ts';

/*
 * A request whose whole effect is one commit needs no claim: the first write of its record is part of that commit, and
 * the store refuses the commit if another request has used the key. Duplicates may work at the same time. One of them
 * commits, and the others find its record and return its result.
 *
 *   state    the record has                     transitions
 *   free     no record, or an expired record    → done: in the commit that has the effect
 *                                               → fenced: by an attempt that does not know whether its commit was made
 *   fenced   the time of the fence              → done: by an attempt that has started after the fence
 *   done     a result                           → free: by time, when the record expires
 *
 * `run-idempotent.ts` has the states of a request that claims its record first.
 */

/** A request that commits its effect and its result together. */
export interface CommittedRequest extends Omit<IdempotentRequest, 'leaseMs' | 'keepsExpiry' | 'isFirst'> {
  /** Whether the work costs much more than a read. Then the record is read before the work. */
  readonly isDear?: boolean | undefined;
}

/**
 * Runs work once under an idempotency key. The work must have no other effect than a commit that includes the write of
 * its result. If the work is refused, and an earlier request has a result, returns that result instead.
 * @throws {Problem} `request-in-progress` while another attempt holds a claim
 * @throws {Problem} `unavailable` if another attempt has reported meanwhile that nothing was done, or if the outcome of
 *   the commit was unknown and this attempt is fenced off now
 * @throws {Problem} `outcome-unknown` if the record can be neither fenced nor read after such a commit
 * @throws any error of `work`, if no earlier request has a result
 */
export async function commitOnce<T>(
  request: CommittedRequest,
  work: (resultWrite: ResultWrite) => Promise<T>,
): Promise<Outcome<T>> {
  const { now, isDear } = request;
  const startedAtMs = now();
  let free: StoredRequest | undefined;
  let failure: unknown;
  for (;;) {
    const isRetry = failure !== undefined;
    if (isRetry || isDear) {
      const stored = isRetry ? await recordAfter(request, free, failure) : await recordOf(request);
      const live = liveIn(stored, now());
      const { operation = '', fingerprint = '', result, leaseEndsAtMs = 0 } = live;
      if (result !== undefined) {
        const own = isUnknown(failure) && ({ mayBeOwn: true } as const);
        return { kind: 'before', identity: { operation, fingerprint }, result, ...own };
      }
      if (leaseEndsAtMs > now()) throw inProgress(leaseEndsAtMs - now());
      if (isRetry && isNotApplied(failure)) throw failure;
      if (isRetry && isFencedSince(live, free?.record, startedAtMs)) throw fencedOff();
      if (isRetry && !(failure instanceof RecordTaken)) throw failure;
      free = stored;
    }
    try {
      return { kind: 'done', value: await work((result) => recordWrite(request, free, { result })) };
    } catch (error) {
      failure = error;
    }
  }
}

/**
 * Reads the record of a request after an attempt that failed.
 * @param free the record that the attempt would have replaced; `undefined` if it would have inserted one
 * @throws the failure, if the record cannot tell more about it
 * @throws {Problem} `unavailable` if the attempt is fenced off now
 */
async function recordAfter(
  request: CommittedRequest,
  free: StoredRequest | undefined,
  failure: unknown,
): Promise<StoredRequest | undefined> {
  if (isUnknown(failure) && (await putFence(request, free))) throw fencedOff();
  if (!isUnknown(failure) && !(failure instanceof RecordTaken) && !isNotApplied(failure)) throw failure;
  return recordOf(request).catch((error: unknown) => {
    throw isUnknown(failure) ? failure : error;
  });
}

/** Whether an attempt does not know whether its commit was made. */
function isUnknown(failure: unknown): boolean {
  return failure instanceof Problem && failure.name === 'outcome-unknown';
}

async function recordOf({ storage, key }: CommittedRequest): Promise<StoredRequest | undefined> {
  const item = await storage.read(key);
  return item && readRecord(item);
}

/**
 * Puts a fence in the place of the record that an attempt would have written, so that it can no longer commit. Returns
 * `false` if the fence may not be there.
 */
async function putFence(request: CommittedRequest, free: StoredRequest | undefined): Promise<boolean> {
  const fence = recordWrite(request, free, { failure: 'unavailable', fencedAtMs: request.now() });
  try {
    return (await request.storage.commit({ writes: [fence] })).ok;
  } catch {
    // The record shows whether the attempt was committed.
    return false;
  }
}

function liveIn(stored: StoredRequest | undefined, nowMs: number): Partial<RequestRecord> {
  return stored && stored.expiresAtMs > nowMs ? stored.record : {};
}

/** Makes the write of a request's record. The store refuses it if another attempt has written the record. */
function recordWrite(
  { key, identity, now, retentionMs = KEY_RETENTION_MS }: CommittedRequest,
  free: StoredRequest | undefined,
  end: Pick<RequestRecord, 'result' | 'failure' | 'fencedAtMs'>,
): Write {
  const { result: _, intent: __, failure: ___, fencedAtMs: ____, ...before } = free?.record ?? {};
  const data = { ...before, ...identity, leaseEndsAtMs: ENDED_MS, ...end };
  const content = { key, data, expiresAtMs: Math.max(now() + retentionMs, free?.expiresAtMs ?? 0) };
  if (free) return { kind: 'replace', version: free.version, ...content };
  return { kind: 'insert', replacesExpiredAtMs: now(), ...content };
}
