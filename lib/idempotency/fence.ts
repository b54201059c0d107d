import { Problem } from '../contract/problem.ts';
import { ENDED_MS, KEY_RETENTION_MS, type RequestRecord, type StoredRequest } from '../records/request-record.ts';
import type { ItemStore, Key, Write } from '../storage/port.ts';

/**
 * Fences off the attempts at a request that has no result yet. Afterwards none of them can commit. Call this before you
 * report that nothing was done.
 * @param sinceMs when the caller began, in milliseconds since 1970: a fence that was set since then is enough
 * @returns `false` if the record has changed or may have changed; then read it again
 */
export async function fence(
  { storage, now }: { readonly storage: ItemStore; readonly now: () => number },
  key: Key,
  { record, version, expiresAtMs }: StoredRequest,
  sinceMs: number,
): Promise<boolean> {
  if (record.leaseEndsAtMs === ENDED_MS && (record.fencedAtMs ?? 0) >= sinceMs) return true;
  const data = { ...record, leaseEndsAtMs: ENDED_MS, fencedAtMs: now() };
  try {
    return (await storage.commit({ writes: [{ kind: 'replace', key, version, data, expiresAtMs }] })).ok;
  } catch (error) {
    // The caller reads the record again, and sees whether the commit was made.
    if (error instanceof Problem && error.name === 'outcome-unknown') return false;
    throw error;
  }
}

/** How far the clocks of two processes may differ, in milliseconds. */
const CLOCK_DIFFERENCE_MS = 1_000;

/**
 * Whether a record has a fence that may have been set since an attempt began. Then somebody may have reported that the
 * attempt did nothing, so it must not go on.
 * @param known the record that the attempt has read before; `undefined` if it has read none, so that only clocks can tell
 */
export function isFencedSince(
  { fencedAtMs = 0 }: Partial<RequestRecord>,
  known: RequestRecord | undefined,
  startedAtMs: number,
): boolean {
  if (known) return fencedAtMs !== (known.fencedAtMs ?? 0);
  return fencedAtMs > startedAtMs - CLOCK_DIFFERENCE_MS;
}

/**
 * Makes the write that ends a request with the problem `outcome-unknown`. Add it to the batch that removes the other
 * records of the request. The store refuses the batch if the record of the request has changed.
 * @param stored the record of the request, as it was read; `undefined` if the store has removed it after its expiry
 */
export function giveUp(key: Key, operation: string, stored: StoredRequest | undefined, nowMs: number): Write {
  const { intent: _, result: __, ...before } = stored?.record ?? { fingerprint: '' };
  const data = { ...before, operation, leaseEndsAtMs: ENDED_MS, failure: 'outcome-unknown' };
  const content = { key, data, expiresAtMs: nowMs + KEY_RETENTION_MS };
  return stored ? { kind: 'replace', version: stored.version, ...content } : { kind: 'insert', ...content };
}
