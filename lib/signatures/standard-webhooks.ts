import { createPublicKey, verify } from 'node:crypto';
import { signatureRefusal } from '../contract/failures.ts';
import { hmacVerifier } from './hmac.ts';
import {
  type ReceivedMessage,
  type Signature,
  type SignatureClaim,
  type SignatureVerifier,
  singleValues,
  type VerifyingScheme,
} from './scheme.ts';
import { readSeconds } from './time-units.ts';

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
/** The header names of Svix. They are older than the specification, and some senders still use them. */
const SVIX_HEADERS = ['svix-id', 'svix-timestamp', 'svix-signature'] as const;

/** The form of a message id. It has no full stop, because that ends the id in the signed text. */
const ID = /^[\x21-\x2d\x2f-\x7e]{1,255}$/;
const ENTRY = /^(v\d{1,3}[a-z]{0,3}),([\x21-\x7e]{1,512})$/;
const MAX_ENTRIES = 16;
/** The length of a shared secret that the specification allows, in bytes. */
const SECRET_BYTES = { min: 24, max: 64 } as const;
/** The HMAC of a `v1` signature. */
export const FORM = { algorithm: 'sha256', encoding: 'base64' } as const;
/** The lengths of an Ed25519 public key and signature, in bytes. */
const ED25519_BYTES = { key: 32, signature: 64 } as const;

/** The scheme of https://www.standardwebhooks.com: `v1` signatures with shared secrets, `v1a` with public keys. */
export const standardWebhooks: VerifyingScheme = {
  privateHeaders: ['webhook-signature'],
  // A getter, because a call would keep this object in bundles that do not use it.
  get refusal() {
    return signatureRefusal({ signsTime: true });
  },
  identifiedBy: 'id',
  readClaim: readMessage,
  verifierOf,
};

/** Reads the claim of a message. If it has any header of the specification, the headers of Svix do not count. */
function readMessage(message: ReceivedMessage): SignatureClaim | 'missing' | 'malformed' {
  const isIn = (name: string) => message.headerValues(name).length > 0;
  const names = [HEADERS, SVIX_HEADERS].find((set) => set.some(isIn)) ?? HEADERS;
  const values = singleValues(names, message);
  if (typeof values === 'string') return values;
  const [id = '', timestamp = '', header = ''] = values.values();
  const signedAtMs = readSeconds(timestamp);
  const signatures = readSignatures(header);
  if (!ID.test(id) || signedAtMs === undefined || !signatures) return 'malformed';
  return { signed: [`${id}.${timestamp}.`, message.body], signedAtMs, messageId: id, signatures };
}

/** Parses the signatures in a header, and skips those with an unknown version. */
function readSignatures(header: string): Signature[] | undefined {
  const entries = header.split(' ', MAX_ENTRIES + 1).map((entry) => ENTRY.exec(entry));
  if (entries.length > MAX_ENTRIES || entries.includes(null)) return undefined;
  return entries.flatMap((entry) => {
    const [, version, text = ''] = entry ?? [];
    return version === 'v1' || version === 'v1a' ? [{ version, text }] : [];
  });
}

function verifierOf(secret: string): SignatureVerifier | undefined {
  const shared = sharedSecretBytes(secret);
  if (shared) return hmacVerifier(FORM, shared);
  const publicKey = bytesAfter('whpk_', secret);
  return publicKey?.length === ED25519_BYTES.key ? ed25519Verifier(publicKey) : undefined;
}

function ed25519Verifier(publicKey: Buffer): SignatureVerifier {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return (signed) => {
    const message = Buffer.concat(signed.map((piece) => Buffer.from(piece)));
    return ({ version, text }) => {
      const signature = readBase64(text);
      return (
        version === 'v1a' && signature?.length === ED25519_BYTES.signature && verify(null, message, key, signature)
      );
    };
  };
}

/** Returns the bytes of a shared secret. @returns `undefined` if the text has another form */
export function sharedSecretBytes(secret: string): Buffer | undefined {
  const bytes = bytesAfter('whsec_', secret);
  return bytes && bytes.length >= SECRET_BYTES.min && bytes.length <= SECRET_BYTES.max ? bytes : undefined;
}

function bytesAfter(prefix: 'whsec_' | 'whpk_', secret: string): Buffer | undefined {
  return secret.startsWith(prefix) ? readBase64(secret.slice(prefix.length)) : undefined;
}

/** Decodes base64. @returns `undefined` unless the text is exactly what encoding the bytes gives, with padding */
function readBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
