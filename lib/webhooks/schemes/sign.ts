import { createHmac } from 'node:crypto';
import type { HmacSettings } from './hmac.ts';
import type { HmacForm } from './keys.ts';
import { HMAC_SETTINGS, type SchemeSettings } from './settings.ts';
import { sharedSecretBytes } from './standard-webhooks.ts';

/** A message that is to be signed. */
export interface UnsignedMessage {
  /** Used where the scheme signs an id. */
  readonly id: string;
  /** Used where the scheme signs a time; milliseconds since 1970. */
  readonly atMs: number;
  readonly body: Uint8Array;
}

/**
 * The headers that a sender adds to a message to sign it.
 * @returns `undefined` if the secret can only verify, as a public key does
 */
export function signatureHeaders(
  settings: SchemeSettings,
  secret: string,
  { id, atMs, body }: UnsignedMessage,
): Readonly<Record<string, string>> | undefined {
  const seconds = String(Math.floor(atMs / 1_000));
  switch (settings.name) {
    case 'standard-webhooks': {
      const key = sharedSecretBytes(secret);
      if (!key) return undefined;
      const signature = hmacOf({ algorithm: 'sha256', encoding: 'base64' }, key, `${id}.${seconds}.`, body);
      return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
    }
    case 'stripe': {
      const signature = hmacOf({ algorithm: 'sha256', encoding: 'hex' }, secret, `${seconds}.`, body);
      return { 'stripe-signature': `t=${seconds},v1=${signature}` };
    }
    default: {
      const own: HmacSettings = settings.name === 'hmac' ? settings : HMAC_SETTINGS[settings.name];
      const { header, prefix = '', ...form } = own;
      return { [header]: prefix + hmacOf(form, secret, '', body) };
    }
  }
}

function hmacOf({ algorithm, encoding }: HmacForm, key: string | Uint8Array, prefix: string, body: Uint8Array): string {
  return createHmac(algorithm, key).update(prefix).update(body).digest(encoding);
}
