import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalPieces } from '../contract/canonical-json.ts';
import { Problem } from '../contract/problem.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import { atOnce } from '../contract/steps.ts';
import type { Item, ItemStore, Key, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

/** How long an idempotency key is kept by default, in milliseconds. Within this time, clients can repeat a request. */
export const KEY_RETENTION_MS = retentionMsOf('idempotencyKey');

/**
 * The value of `leaseEndsAtMs` after a claim has ended. No attempt with an earlier version of the record can commit.
 */
export const ENDED_MS = 0;

/**
 * The schema of the record of a request, which is also the record of its operation. It contains no content, only a hash
 * of the request. `run-idempotent.ts` explains its states.
 */
const RequestRecord = recordOf({
  operation: z.string(),
  /** The SHA-256 hash of the request's content; see `fingerprintOf`. */
  fingerprint: z.string(),
  /** When the lease of the attempt ends, in milliseconds since 1970. */
  leaseEndsAtMs: z.number(),
  /**
   * The change that an attempt requested from another service. While there is no result, that service may have made it.
   */
  intent: z.optional(z.unknown()),
  /** The result of the request; absent until the request is done. */
  result: z.optional(z.unknown()),
  /** The problem type of a failed attempt that had no effect, or whose outcome nobody can find out. */
  failure: z.optional(z.string()),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

/** The operation and the content hash of a request, to compare it with other requests under the same key. */
export type RequestIdentity = Pick<RequestRecord, 'operation' | 'fingerprint'>;

/** Whether two requests have the same operation and the same content. */
export function isSameRequest(one: RequestIdentity, other: RequestIdentity): boolean {
  return one.operation === other.operation && one.fingerprint === other.fingerprint;
}

/** Hashes a JSON value with SHA-256. The order of its keys does not matter. */
export function fingerprintOf(value: unknown): string {
  return atOnce(fingerprintSteps(value));
}

/** The number of UTF-16 code units that are hashed in one step. */
const STEP_LENGTH = 131_072;

/** Hashes a value like `fingerprintOf`, in steps of some milliseconds. Yields where other work may run. */
export function* fingerprintSteps(value: unknown): Generator<void, string> {
  const hash = createHash('sha256');
  let text = '';
  for (const piece of canonicalPieces(value)) {
    text += piece;
    if (text.length < STEP_LENGTH) continue;
    hash.update(text);
    text = '';
    yield;
  }
  return hash.update(text).digest('base64url');
}

/** The record of a request, as it was read from the store. */
export interface StoredRequest {
  readonly record: RequestRecord;
  readonly version: number;
  /** When the record expires, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Reads the record of a request from its item. Also reads an expired record, whose version is needed to replace it. */
export function readRecord(item: Item): StoredRequest {
  return { record: RequestRecord.parse(item.data), version: item.version, expiresAtMs: item.expiresAtMs ?? 0 };
}

/** Returns the storage key of a request's record. */
export function recordKey(partition: string, operationId: string): Key {
  return { partition, sort: `request/${operationId}` };
}

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
