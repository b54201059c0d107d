import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  readSeconds,
  type SignatureClaim,
  type SignatureScheme,
  type SignatureVerifier,
  writeSeconds,
} from './scheme.ts';

export const HMAC_ALGORITHMS = ['sha256', 'sha512', 'sha1'] as const;
export const HMAC_ENCODINGS = ['hex', 'base64'] as const;

/** An HMAC and how it is written. */
export interface HmacForm {
  readonly algorithm: (typeof HMAC_ALGORITHMS)[number];
  readonly encoding: (typeof HMAC_ENCODINGS)[number];
}

/** An HMAC of the body's bytes and nothing else, in a header. */
export interface HmacSettings extends HmacForm {
  /** The header's name in lower case. */
  readonly header: string;
  /** What precedes the signature in the header. */
  readonly prefix?: string | undefined;
}

/** Senders whose scheme is a plain HMAC. */
export const HMAC_SENDERS = {
  github: { header: 'x-hub-signature-256', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' },
  shopify: { header: 'x-shopify-hmac-sha256', algorithm: 'sha256', encoding: 'base64' },
} as const satisfies Record<string, HmacSettings>;

/** Long enough not to be guessed; a secret that a person types has no control characters. */
const SECRET = /^(?! )[\x20-\x7e]{16,256}(?<! )$/;

/** A scheme that signs the body with an HMAC, as GitHub and Shopify do. */
export function hmacScheme({ header, prefix = '', ...form }: HmacSettings): SignatureScheme {
  return {
    headerSets: [[header]],
    signatureHeader: header,
    readClaim: (value = '') =>
      value.startsWith(prefix)
        ? { prefix: '', signatures: [{ version: 'v1', text: value.slice(prefix.length) }] }
        : undefined,
    verifierOf: (secret) => textVerifier(form, secret),
    sign: (secret, { body }) => ({ [header]: prefix + hmacOf(form, secret, [body]) }),
    secretForm: '16 to 256 visible characters of ASCII',
    newSecret: () => randomBytes(32).toString('hex'),
  };
}

/** A verifier whose key is the text of a secret. @returns `undefined` if the secret does not have the form */
export function textVerifier(form: HmacForm, secret: string): SignatureVerifier | undefined {
  return SECRET.test(secret) ? hmacVerifier(form, Buffer.from(secret)) : undefined;
}

/** Compares signatures as text: the same bytes in another encoding are not the sender's signature. */
export function hmacVerifier(form: HmacForm, key: Uint8Array): SignatureVerifier {
  return (signed) => {
    const right = Buffer.from(hmacOf(form, key, signed));
    return ({ version, text }) => {
      const given = Buffer.from(text);
      return version === 'v1' && given.length === right.length && timingSafeEqual(given, right);
    };
  };
}

/** The HMAC of bytes in pieces. */
export function hmacOf(
  { algorithm, encoding }: HmacForm,
  key: string | Uint8Array,
  pieces: readonly (string | Uint8Array)[],
): string {
  const hmac = createHmac(algorithm, key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest(encoding);
}

const STRIPE_HEADER = 'stripe-signature';
const STRIPE_FORM = { algorithm: 'sha256', encoding: 'hex' } as const;
const ENTRY = /^([a-z][a-z0-9]{0,9})=([\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,512})$/;
const MAX_ENTRIES = 16;

/** Stripe's scheme: `t=<seconds>,v1=<hex>`, with another `v1` during a rotation. Entries of other names are ignored. */
export const stripe: SignatureScheme = {
  headerSets: [[STRIPE_HEADER]],
  signatureHeader: STRIPE_HEADER,
  readClaim: (value = '') => readClaim(value),
  verifierOf: (secret) => (secret.startsWith('whsec_') ? textVerifier(STRIPE_FORM, secret) : undefined),
  sign(secret, { atMs, body }) {
    const seconds = writeSeconds(atMs);
    return { [STRIPE_HEADER]: `t=${seconds},v1=${hmacOf(STRIPE_FORM, secret, [`${seconds}.`, body])}` };
  },
  secretForm: 'whsec_ and what Stripe wrote behind it, 16 to 256 characters',
  newSecret: () => `whsec_${randomBytes(24).toString('hex')}`,
};

function readClaim(value: string): SignatureClaim | undefined {
  const entries = value.split(',', MAX_ENTRIES + 1).map((entry) => ENTRY.exec(entry));
  if (entries.length > MAX_ENTRIES || entries.includes(null)) return undefined;
  const valuesOf = (name: string) => entries.flatMap((entry) => (entry?.[1] === name ? [entry[2] ?? ''] : []));
  const [seconds = '', ...more] = valuesOf('t');
  const signedAtMs = readSeconds(seconds);
  const signatures = valuesOf('v1').map((text) => ({ version: 'v1', text }) as const);
  if (signedAtMs === undefined || more.length > 0 || signatures.length === 0) return undefined;
  return { prefix: `${seconds}.`, signedAtMs, signatures };
}
