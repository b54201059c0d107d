import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalJson } from '../contract/canonical-json.ts';
import type { Item, Key } from '../storage/port.ts';

/**
 * What is kept of a request with a key. Until it has a result it is a claim: whoever wrote it works on the request,
 * and the version of the item is the number of the attempt. It holds no content, only a hash of what was asked.
 */
const RequestRecord = z.strictObject({
  operation: z.string(),
  /** SHA-256 of the request's meaning. */
  fingerprint: z.string(),
  /** Until when the attempt may be at work, in milliseconds since 1970. */
  leaseEndsAtMs: z.number(),
  /**
   * What an attempt meant to do elsewhere, where nobody can make it undone: as long as there is no result, it may have
   * been done.
   */
  intent: z.optional(z.unknown()),
  /** What the request came to; absent while it is being worked on. */
  result: z.optional(z.unknown()),
  /** The problem that the last attempt ended in: nothing was done, or nobody can find out whether it was. */
  failure: z.optional(z.string()),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

/** The meaning of a request, for comparison with another under the same key. */
export interface RequestIdentity {
  readonly operation: string;
  readonly fingerprint: string;
}

/** A record as the store has it. */
export interface StoredRequest {
  readonly record: RequestRecord;
  readonly version: number;
  /** In milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Reads a record; one that has expired is as good as none, but its version must be named to write over it. */
export function readRecord(item: Item): StoredRequest {
  return { record: RequestRecord.parse(item.data), version: item.version, expiresAtMs: item.expiresAtMs ?? 0 };
}

/** Where the record of a company's key is. */
export function recordKey(partition: string, keyHash: string): Key {
  return { partition, sort: `request/${keyHash}` };
}

/** The SHA-256 of a JSON value, whatever the order of its keys. */
export function fingerprintOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}
