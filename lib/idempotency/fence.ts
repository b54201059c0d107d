import { Problem } from '../contract/problem.ts';
import { ENDED_MS, KEY_RETENTION_MS, type StoredRequest } from '../records/request-record.ts';
import type { ItemStore, Key, Write } from '../storage/port.ts';

/**
 * Fences off the current attempt at a request that has no result yet. Afterwards the attempt cannot commit. Call this
 * before you report that nothing was done.
 * @returns `false` if the record has changed or may have changed; then read it again
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
    // The caller reads the record again, and sees whether the commit was made.
    if (error instanceof Problem && error.name === 'outcome-unknown') return false;
    throw error;
  }
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
