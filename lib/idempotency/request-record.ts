import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalJson } from '../contract/json.ts';
import { Problem } from '../contract/problem.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { Item, ItemStore, Key, Write } from '../storage/port.ts';

/** How long a key is kept unless the request says otherwise: longer than clients retry. */
export const KEY_RETENTION_MS = retentionMsOf('idempotencyKey');

/** The lease of a claim that was ended. No attempt with an earlier version of the record can commit any more. */
export const ENDED_MS = 0;

/**
 * The record of a request. `run-idempotent.ts` explains its states. It holds no content, only a hash of the request. It
 * serves as the record of the operation too.
 */
const RequestRecord = z.strictObject({
  operation: z.string(),
  /** SHA-256 of the request's meaning. */
  fingerprint: z.string(),
  /** When the lease of the attempt ends, in milliseconds since 1970. */
  leaseEndsAtMs: z.number(),
  /** What an attempt meant to do at another service. Without a result, it may have been done. */
  intent: z.optional(z.unknown()),
  /** Absent until the request is done. */
  result: z.optional(z.unknown()),
  /** The problem type that the last attempt ended with. Nothing was done, or nobody can find out whether it was. */
  failure: z.optional(z.string()),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

/** What a request asks for, to compare it with another request under the same key. */
export type RequestIdentity = Pick<RequestRecord, 'operation' | 'fingerprint'>;

/** Whether two requests under one key ask for the same. */
export function isSameRequest(one: RequestIdentity, other: RequestIdentity): boolean {
  return one.operation === other.operation && one.fingerprint === other.fingerprint;
}

/** Hashes a JSON value with SHA-256. The order of its keys does not matter. */
export function fingerprintOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}

/** A record as it was read. */
export interface StoredRequest {
  readonly record: RequestRecord;
  readonly version: number;
  /** In milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Reads a record. An expired one counts as none, but its version is needed to replace it. */
export function readRecord(item: Item): StoredRequest {
  return { record: RequestRecord.parse(item.data), version: item.version, expiresAtMs: item.expiresAtMs ?? 0 };
}

/** The key of a request's record. */
export function recordKey(partition: string, operationId: string): Key {
  return { partition, sort: `request/${operationId}` };
}

/**
 * Fences off the current attempt at a request that has no result yet: the attempt can no longer commit. Call this before
 * you report that nothing was done.
 * @returns `false` if the record has changed, or may have: read it again
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
    // The next reading shows whether the commit was made.
    if (error instanceof Problem && error.name === 'outcome-unknown') return false;
    throw error;
  }
}

/**
 * Makes the write that ends a request with an unknown outcome. Put it into the batch that frees what the request
 * reserved. The batch is refused if the record has changed.
 * @param stored the record as it was read; `undefined` if it has expired and is gone
 */
export function giveUp(key: Key, operation: string, stored: StoredRequest | undefined, nowMs: number): Write {
  const fingerprint = stored?.record.fingerprint ?? '';
  const data = { operation, fingerprint, leaseEndsAtMs: ENDED_MS, failure: 'outcome-unknown' };
  const content = { key, data, expiresAtMs: nowMs + KEY_RETENTION_MS };
  return stored ? { kind: 'replace', version: stored.version, ...content } : { kind: 'insert', ...content };
}
