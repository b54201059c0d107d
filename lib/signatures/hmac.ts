import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SignatureClaim, SignatureVerifier } from './scheme.ts';

/** The hash algorithms of an HMAC. */
export const HMAC_ALGORITHMS = ['sha256', 'sha512', 'sha1'] as const;
/** The encodings in which a signature can be written. */
export const HMAC_ENCODINGS = ['hex', 'base64', 'base64url'] as const;

/** The hash algorithm of an HMAC, and the encoding of its text. */
export interface HmacForm {
  readonly algorithm: (typeof HMAC_ALGORITHMS)[number];
  readonly encoding: (typeof HMAC_ENCODINGS)[number];
}

/** The form of a secret: 16 to 256 printable ASCII characters, with no space at either end. */
const SECRET = /^(?! )[\x20-\x7e]{16,256}(?<! )$/;
/** The form of a secret, for error messages. */
export const SECRET_FORM = '16 to 256 printable ASCII characters';

/** Whether a text can be a secret. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Generates a random secret of 64 characters. */
export function newTextSecret(): string {
  return randomBytes(32).toString('hex');
}

/** The lengths of the hashes, in bytes. */
const HASH_BYTES = { sha256: 32, sha512: 64, sha1: 20 } as const satisfies Record<HmacForm['algorithm'], number>;

/** Whether a text could be a signature. It must be exactly what encoding its bytes gives. */
export function hasForm({ algorithm, encoding }: HmacForm, text: string): boolean {
  const bytes = Buffer.from(text, encoding);
  return bytes.length === HASH_BYTES[algorithm] && bytes.toString(encoding) === text;
}

/** Creates a verifier for an HMAC. It compares signatures as text, so it rejects a signature in another encoding. */
export function hmacVerifier(form: HmacForm, key: string | Uint8Array): SignatureVerifier {
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
  pieces: SignatureClaim['signed'],
): string {
  const hmac = createHmac(algorithm, key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest(encoding);
}
