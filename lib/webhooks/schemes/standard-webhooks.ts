import { randomBytes } from 'node:crypto';
import { ed25519Key, hmacKey, readBase64 } from './keys.ts';
import { type Claim, type Key, readSeconds, type Scheme, type Signature } from './scheme.ts';

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
/** The names that Svix had before the specification. */
const SVIX_HEADERS = ['svix-id', 'svix-timestamp', 'svix-signature'] as const;

/** Visible, and without the full stop that ends it where it is signed: with one, another division would have the same signature. */
const ID = /^[\x21-\x2d\x2f-\x7e]{1,255}$/;
const ENTRY = /^(v\d{1,3}[a-z]{0,3}),([\x21-\x7e]{1,512})$/;
const MOST_ENTRIES = 16;
/** As many bytes of a secret as the specification allows. */
const SECRET_BYTES = { least: 24, most: 64 } as const;

/** https://www.standardwebhooks.com: `v1` with shared secrets, `v1a` with public keys. */
export const standardWebhooks: Scheme = {
  headerSets: [HEADERS, SVIX_HEADERS],
  signatureHeader: HEADERS[2],
  claim: (id = '', timestamp = '', signature = '') => readClaim(id, timestamp, signature),
  keyOf: (secret) => readKey(secret),
  secretForm: 'whsec_ and 24 to 64 bytes in base64, or whpk_ and the 32 bytes of a public key in base64',
  newSecret: () => `whsec_${randomBytes(32).toString('base64')}`,
};

function readClaim(id: string, timestamp: string, header: string): Claim | undefined {
  const signedAtMs = readSeconds(timestamp);
  const signatures = readSignatures(header);
  if (!ID.test(id) || signedAtMs === undefined || !signatures) return undefined;
  return { prefix: `${id}.${timestamp}.`, signedAtMs, messageId: id, signatures };
}

/** Signatures of versions that are not known here are passed over. */
function readSignatures(header: string): Signature[] | undefined {
  const entries = header.split(' ', MOST_ENTRIES + 1).map((entry) => ENTRY.exec(entry));
  if (entries.length > MOST_ENTRIES || entries.includes(null)) return undefined;
  return entries.flatMap((entry) => {
    const [, version, text = ''] = entry ?? [];
    return version === 'v1' || version === 'v1a' ? [{ version, text }] : [];
  });
}

function readKey(secret: string): Key | undefined {
  const shared = sharedSecretBytes(secret);
  if (shared) return hmacKey({ algorithm: 'sha256', encoding: 'base64' }, shared);
  const publicKey = bytesBehind('whpk_', secret);
  return publicKey && ed25519Key(publicKey);
}

/** The bytes of a shared secret; `undefined` if the text is not one. */
export function sharedSecretBytes(secret: string): Buffer | undefined {
  const bytes = bytesBehind('whsec_', secret);
  return bytes && bytes.length >= SECRET_BYTES.least && bytes.length <= SECRET_BYTES.most ? bytes : undefined;
}

function bytesBehind(form: 'whsec_' | 'whpk_', secret: string): Buffer | undefined {
  return secret.startsWith(form) ? readBase64(secret.slice(form.length)) : undefined;
}
