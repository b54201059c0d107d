import { createHash } from 'node:crypto';
import type { Proof } from './schemes/verify.ts';
import type { Source } from './source.ts';

/**
 * The id of a delivery: by what its signature covers and stays the same when it is sent again, and by whose it is. Headers
 * that nobody signed have no part in it, and bodies differ where a byte does, whatever text they decode to.
 */
export function deliveryIdOf(
  { companyId, name }: Pick<Source, 'companyId' | 'name'>,
  { messageId }: Proof,
  body: Uint8Array,
): string {
  // A line of JSON has no line break in it, so that no body can pass for a part of what stands before it.
  const head = `${JSON.stringify([companyId, name, messageId ?? null])}\n`;
  return createHash('sha256').update(head).update(body).digest('base64url');
}
