import { randomBytes } from 'node:crypto';
import { hmacOf } from './hmac.ts';
import type { UnsignedMessage } from './scheme.ts';
import { writeTime } from './signed-time.ts';
import { FORM, sharedSecretBytes } from './standard-webhooks.ts';

/** Generates a random shared secret. */
export function newStandardSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Signs a message once with each shared secret, so that a receiver can verify it with any of them during a rotation.
 * @returns the signature headers; `undefined` if no secret is a shared one
 */
export function signStandard(
  secrets: readonly string[],
  { id, atMs, body }: UnsignedMessage,
): Readonly<Record<string, string>> | undefined {
  const keys = secrets.flatMap((secret) => sharedSecretBytes(secret) ?? []);
  if (keys.length === 0) return undefined;
  const seconds = writeTime('seconds', atMs);
  const signatures = keys.map((key) => `v1,${hmacOf(FORM, key, [`${id}.${seconds}.`, body])}`);
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}
