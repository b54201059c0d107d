import * as z from 'zod/mini';
import { hot } from '../contract/hot.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { Item, Key } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

/** How long an idempotency key is kept by default, in milliseconds. Within this time, clients can repeat a request. */
export const KEY_RETENTION_MS = retentionMsOf('idempotencyKey');

/**
 * The value of `leaseEndsAtMs` after a claim has ended. No attempt with an earlier version of the record can commit.
 */
export const ENDED_MS = 0;

/**
 * The schema of the record of a request, which is also the record of its operation. It contains no content, only a hash
 * of the request. `run-idempotent.ts` and `commit-once.ts` explain its
 * states.
 */
const RequestRecord = recordOf(() => ({
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
  /** When an attempt without a claim was fenced off, in milliseconds since 1970; see `commit-once.ts`. */
  fencedAtMs: z.optional(z.number()),
}));
export type RequestRecord = z.infer<typeof RequestRecord>;
const requestRecord = hot(RequestRecord);

/** The operation and the content hash of a request, to compare it with other requests under the same key. */
export type RequestIdentity = Pick<RequestRecord, 'operation' | 'fingerprint'>;

/** The record of a request, as it was read from the store. */
export interface StoredRequest {
  readonly record: RequestRecord;
  readonly version: number;
  /** When the record expires, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Reads the record of a request from its item. Also reads an expired record, whose version is needed to replace it. */
export function readRecord(item: Item): StoredRequest {
  return { record: requestRecord().parse(item.data), version: item.version, expiresAtMs: item.expiresAtMs ?? 0 };
}

/** Returns the storage key of a request's record. */
export function recordKey(partition: string, operationId: string): Key {
  return { partition, sort: `request/${operationId}` };
}
