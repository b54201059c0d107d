import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { Key } from './scheme.ts';

/** A hash function that an HMAC may be made with. */
export const ALGORITHMS = ['sha256', 'sha512', 'sha1'] as const;
/** How the bytes of an HMAC are written. */
export const ENCODINGS = ['hex', 'base64'] as const;

/** An HMAC and how it is written. */
export interface HmacForm {
  readonly algorithm: (typeof ALGORITHMS)[number];
  readonly encoding: (typeof ENCODINGS)[number];
}

/** A shared secret. Signatures are compared as text: the same bytes written in another way are not the sender's. */
export function hmacKey({ algorithm, encoding }: HmacForm, secret: Uint8Array): Key {
  return (signed) => {
    const hmac = createHmac(algorithm, secret);
    for (const piece of signed) hmac.update(piece);
    const right = Buffer.from(hmac.digest(encoding));
    return ({ version, text }) => {
      const given = Buffer.from(text);
      return version === 'v1' && given.length === right.length && timingSafeEqual(given, right);
    };
  };
}

const ED25519_BYTES = { key: 32, signature: 64 } as const;

/** The public key of an ed25519 pair. */
export function ed25519Key(publicKey: Uint8Array): Key | undefined {
  const key = publicKeyOf(publicKey);
  if (!key) return undefined;
  return (signed) => {
    const message = Buffer.concat(signed);
    return ({ version, text }) => {
      const signature = readBase64(text);
      return (
        version === 'v1a' && signature?.length === ED25519_BYTES.signature && verify(null, message, key, signature)
      );
    };
  };
}

function publicKeyOf(bytes: Uint8Array): KeyObject | undefined {
  if (bytes.length !== ED25519_BYTES.key) return undefined;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') };
  return createPublicKey({ key: jwk, format: 'jwk' });
}

/** The bytes of base64 as it is written in exactly one way: with its padding, and no bits to spare. */
export function readBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
