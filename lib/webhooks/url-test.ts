import type { UrlTested } from '../contract/answers.ts';
import type { ReceivedMessage } from '../signatures/scheme.ts';
import type { SchemeSettings } from '../signatures/stored-scheme.ts';

/** The whole body of the ping that WooCommerce sends when a webhook is saved. */
const PING = /^webhook_id=\d{1,20}$/;
const MAX_PING_BYTES = 64;

/**
 * Whether a message without a signature only tests the URL. WooCommerce sends such a ping when a webhook is saved, and
 * expects the status 200. The answer reveals nothing, and the ping changes nothing.
 */
export function isPing({ name }: SchemeSettings, { body, headerValues }: ReceivedMessage): boolean {
  if (name !== 'woocommerce' || body.length > MAX_PING_BYTES) return false;
  return headerValues('x-wc-webhook-signature').length === 0 && PING.test(Buffer.from(body).toString('latin1'));
}

const URL_VERIFICATION = '"url_verification"';
const MAX_CHALLENGE_CHARACTERS = 1_024;

/**
 * Returns the answer to a verified message that only tests the URL: Slack sends a challenge, and expects it back.
 * @returns `undefined` for every other message
 */
export function urlTestAnswer({ name }: SchemeSettings, body: Uint8Array): UrlTested | undefined {
  if (name !== 'slack' || !Buffer.from(body).includes(URL_VERIFICATION)) return undefined;
  const { type, challenge } = objectIn(body);
  const isTest = type === 'url_verification' && typeof challenge === 'string';
  return isTest && challenge.length <= MAX_CHALLENGE_CHARACTERS ? { challenge } : undefined;
}

function objectIn(body: Uint8Array): { readonly type?: unknown; readonly challenge?: unknown } {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
