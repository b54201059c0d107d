import { canonicalJson } from './canonical-json.ts';

/**
 * Returns the idempotency key of a file with a JSON value, such as a project. The same file gets the same key on every
 * way to Segue, so it creates once. Formatting and the order of fields do not count.
 */
export async function keyOfFile(value: unknown): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonicalJson(value)));
  return `file-${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
