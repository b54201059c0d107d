import { createHash } from 'node:crypto';
import { canonicalJson } from '../contract/json.ts';

/** What a request asks for, to compare it with another request under the same key. */
export interface RequestIdentity {
  readonly operation: string;
  readonly fingerprint: string;
}

/** Whether two requests under one key ask for the same. */
export function isSameRequest(one: RequestIdentity, other: RequestIdentity): boolean {
  return one.operation === other.operation && one.fingerprint === other.fingerprint;
}

/** Hashes a JSON value with SHA-256. The order of its keys does not matter. */
export function fingerprintOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}
