import { randomBytes } from 'node:crypto';
import { hmacOf, textVerifier } from './hmac.ts';
import { readSeconds, type SignatureClaim, type SignatureScheme, writeSeconds } from './scheme.ts';

const HEADER = 'stripe-signature';
const FORM = { algorithm: 'sha256', encoding: 'hex' } as const;
const ENTRY = /^([a-z][a-z0-9]{0,9})=([\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,512})$/;
const MAX_ENTRIES = 16;

/** Stripe's scheme: `t=<seconds>,v1=<hex>`, with another `v1` during a rotation. Entries of other names are ignored. */
export const stripe: SignatureScheme = {
  headerSets: [[HEADER]],
  signatureHeader: HEADER,
  readClaim: (value = '') => readClaim(value),
  verifierOf: (secret) => (secret.startsWith('whsec_') ? textVerifier(FORM, secret) : undefined),
  sign(secret, { atMs, body }) {
    const seconds = writeSeconds(atMs);
    return { [HEADER]: `t=${seconds},v1=${hmacOf(FORM, secret, [`${seconds}.`, body])}` };
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
