import { randomBytes } from 'node:crypto';
import { type HmacForm, hmacKey } from './keys.ts';
import type { Key, Scheme } from './scheme.ts';

/** An HMAC of the body's bytes and nothing else, in a header. */
export interface HmacSettings extends HmacForm {
  /** Its name in lower case. */
  readonly header: string;
  /** What stands before the signature there. */
  readonly prefix?: string | undefined;
}

/** Long enough not to be guessed; what somebody types by himself has no control characters. */
const SECRET = /^(?! )[\x20-\x7e]{16,256}(?<! )$/;

/** The key that the characters of a secret are. */
export function keyOfText(form: HmacForm, secret: string): Key | undefined {
  return SECRET.test(secret) ? hmacKey(form, Buffer.from(secret)) : undefined;
}

/** GitHub's scheme, Shopify's, and those of many others. */
export function hmacScheme({ header, prefix = '', ...form }: HmacSettings): Scheme {
  return {
    headerSets: [[header]],
    signatureHeader: header,
    claim: (value = '') =>
      value.startsWith(prefix)
        ? { prefix: '', signatures: [{ version: 'v1', text: value.slice(prefix.length) }] }
        : undefined,
    keyOf: (secret) => keyOfText(form, secret),
    secretForm: '16 to 256 visible characters of ASCII',
    newSecret: () => randomBytes(32).toString('hex'),
  };
}
