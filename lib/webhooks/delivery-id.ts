import { createHash } from 'node:crypto';
import type { Proof } from './schemes/verify.ts';
import type { Source } from './source.ts';

/**
 * The id of a delivery, by what its signature covers and stays the same when it is sent again: the message's own id, or
 * else the bytes of its body, and by whose it is. Headers that nobody signed have no part in it. Another body under an id
 * that was used is the inbox's to refuse.
 */
export function deliveryIdOf(
  { companyId, name }: Pick<Source, 'companyId' | 'name'>,
  { messageId }: Proof,
  body: Uint8Array,
): string {
  // A line of JSON has no line break in it: no body can pass for an id, nor an id for a body.
  const head = JSON.stringify([companyId, name, messageId ?? null]);
  const hash = createHash('sha256').update(`${head}\n`);
  return (messageId === undefined ? hash.update(body) : hash).digest('base64url');
}
