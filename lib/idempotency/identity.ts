import { createHash } from 'node:crypto';
import { canonicalPieces } from '../contract/canonical-json.ts';
import { atOnce } from '../contract/steps.ts';
import type { RequestIdentity } from '../records/request-record.ts';

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
