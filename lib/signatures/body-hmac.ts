import { signatureRefusal } from '../contract/failures.ts';
import { type HmacForm, hasForm, hmacVerifier, isSecret } from './hmac.ts';
import { type MessageIdentity, singleValues, type VerifyingScheme } from './scheme.ts';

/** The settings of a scheme that signs only the body with an HMAC, and sends the HMAC in a header. */
export interface BodyHmacSettings extends HmacForm {
  /** The name of the header with the signature, in lower case. */
  readonly header: string;
  /** The text before the signature in the header, such as `sha256=`. */
  readonly prefix?: string | undefined;
  /** What identifies a message. The default is its body. */
  readonly identifiedBy?: MessageIdentity | undefined;
}

const BASE64 = { algorithm: 'sha256', encoding: 'base64' } as const;
const FOR_MINUTES = { identifiedBy: 'body-for-minutes' } as const;

/** The known senders that sign only the body, by the name of their scheme. */
export const BODY_SENDERS = {
  github: { algorithm: 'sha256', encoding: 'hex', header: 'x-hub-signature-256', prefix: 'sha256=' },
  shopify: { ...BASE64, header: 'x-shopify-hmac-sha256' },
  // The bodies of these senders are equal when a page is published, taken back and published again.
  storyblok: { algorithm: 'sha1', encoding: 'hex', header: 'webhook-signature', ...FOR_MINUTES },
  woocommerce: { ...BASE64, header: 'x-wc-webhook-signature', ...FOR_MINUTES },
  kontent: { ...BASE64, header: 'x-kontent-ai-signature', ...FOR_MINUTES },
} as const satisfies Record<string, BodyHmacSettings>;

/** Whether a scheme is that of a known sender that signs only the body. */
export function isBodySender(name: string): name is keyof typeof BODY_SENDERS {
  return Object.hasOwn(BODY_SENDERS, name);
}

/** Creates a scheme that signs only the body. Most senders do this, so it needs no template. */
export function bodyHmac({ header, prefix = '', identifiedBy = 'body', ...form }: BodyHmacSettings): VerifyingScheme {
  return {
    privateHeaders: [header],
    refusal: signatureRefusal({ signsTime: false }),
    identifiedBy,
    readClaim(message) {
      const values = singleValues([header], message);
      if (typeof values === 'string') return values;
      const [value = ''] = values.values();
      const text = value.slice(prefix.length);
      const isRight = value.startsWith(prefix) && hasForm(form, text);
      return isRight ? { signed: [message.body], signatures: [{ version: 'v1', text }] } : 'malformed';
    },
    verifierOf: (secret) => (isSecret(secret) ? hmacVerifier(form, secret) : undefined),
  };
}
