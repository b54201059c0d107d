import { createHash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical-json.ts';

/** The SHA-256 of a JSON value, whatever the order of its keys. */
export function fingerprintOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}
