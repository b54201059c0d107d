import { createHash } from 'node:crypto';

/** By what the request with a key is asked for: nobody learns the key from it. */
export function operationIdOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
