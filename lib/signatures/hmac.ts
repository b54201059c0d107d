import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  readSeconds,
  type SignatureClaim,
  type SignatureScheme,
  type SignatureVerifier,
  writeSeconds,
} from './scheme.ts';

/** The hash algorithms that a plain HMAC scheme can use. */
export const HMAC_ALGORITHMS = ['sha256', 'sha512', 'sha1'] as const;
/** The encodings in which a plain HMAC scheme can write a signature. */
export const HMAC_ENCODINGS = ['hex', 'base64'] as const;

/** The hash algorithm of an HMAC, and the encoding of its text. */
export interface HmacForm {
  readonly algorithm: (typeof HMAC_ALGORITHMS)[number];
  readonly encoding: (typeof HMAC_ENCODINGS)[number];
}

/** The settings of a scheme that signs only the body, and sends the HMAC in a header. */
export interface HmacSettings extends HmacForm {
  /** The name of the header with the signature, in lower case. */
  readonly header: string;
  /** The text before the signature in the header, such as `sha256=`. */
  readonly prefix?: string | undefined;
}

/** The settings of known senders that sign only the body with an HMAC. */
export const HMAC_SENDERS = {
  github: { header: 'x-hub-signature-256', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' },
  shopify: { header: 'x-shopify-hmac-sha256', algorithm: 'sha256', encoding: 'base64' },
} as const satisfies Record<string, HmacSettings>;

/** The form of a secret: 16 to 256 printable ASCII characters, with no space at either end. */
const SECRET = /^(?! )[\x20-\x7e]{16,256}(?<! )$/;

/** Creates a scheme that signs only the body with an HMAC, as GitHub and Shopify do. */
export function hmacScheme({ header, prefix = '', ...form }: HmacSettings): SignatureScheme {
  return {
    headerSets: [[header]],
    signatureHeader: header,
    signsTime: false,
    readClaim(value = '') {
      const text = value.slice(prefix.length);
      if (!value.startsWith(prefix) || !hasForm(form, text)) return undefined;
      return { prefix: '', signatures: [{ version: 'v1', text }] };
    },
    verifierOf: (secret) => textVerifier(form, secret),
    sign: (secret, { body }) => ({ [header]: prefix + hmacOf(form, secret, [body]) }),
    secretForm: '16 to 256 printable ASCII characters',
    newSecret: () => randomBytes(32).toString('hex'),
  };
}

/** The lengths of the hashes, in bytes. */
const HASH_BYTES = { sha256: 32, sha512: 64, sha1: 20 } as const satisfies Record<HmacForm['algorithm'], number>;

/** Whether a text could be a signature. It must be exactly what encoding its bytes gives. */
function hasForm({ algorithm, encoding }: HmacForm, text: string): boolean {
  const bytes = Buffer.from(text, encoding);
  return bytes.length === HASH_BYTES[algorithm] && bytes.toString(encoding) === text;
}

/** Creates a verifier whose key is the text of a secret. @returns `undefined` if the secret has the wrong form */
function textVerifier(form: HmacForm, secret: string): SignatureVerifier | undefined {
  return SECRET.test(secret) ? hmacVerifier(form, Buffer.from(secret)) : undefined;
}

/** Creates a verifier for an HMAC. It compares signatures as text, so it rejects a signature in another encoding. */
export function hmacVerifier(form: HmacForm, key: Uint8Array): SignatureVerifier {
  return (signed) => {
    const right = Buffer.from(hmacOf(form, key, signed));
    return ({ version, text }) => {
      const given = Buffer.from(text);
      return version === 'v1' && given.length === right.length && timingSafeEqual(given, right);
    };
  };
}

/** Returns the HMAC of several pieces in order, as text. */
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

/** The scheme of Stripe: `t=<seconds>,v1=<hex>`. During a rotation there are two `v1`. Other entries are ignored. */
export const stripe: SignatureScheme = {
  headerSets: [[STRIPE_HEADER]],
  signatureHeader: STRIPE_HEADER,
  signsTime: true,
  readClaim: (value = '') => readClaim(value),
  verifierOf: (secret) => (secret.startsWith('whsec_') ? textVerifier(STRIPE_FORM, secret) : undefined),
  sign(secret, { atMs, body }) {
    const seconds = writeSeconds(atMs);
    return { [STRIPE_HEADER]: `t=${seconds},v1=${hmacOf(STRIPE_FORM, secret, [`${seconds}.`, body])}` };
  },
  secretForm: 'the signing secret that Stripe shows: whsec_ and more, 16 to 256 characters in all',
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
