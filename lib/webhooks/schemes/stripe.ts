import { randomBytes } from 'node:crypto';
import { keyOfText } from './hmac.ts';
import { type Claim, readSeconds, type Scheme } from './scheme.ts';

const HEADER = 'stripe-signature';
const ENTRY = /^([a-z][a-z0-9]{0,9})=([\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,512})$/;
const MOST_ENTRIES = 16;

/** Stripe's: `t=<seconds>,v1=<hex>`, with another `v1` while a secret is rotated. Entries of other names are passed over. */
export const stripe: Scheme = {
  headerSets: [[HEADER]],
  signatureHeader: HEADER,
  claim: (value = '') => readClaim(value),
  keyOf: (secret) =>
    secret.startsWith('whsec_') ? keyOfText({ algorithm: 'sha256', encoding: 'hex' }, secret) : undefined,
  secretForm: 'whsec_ and what Stripe wrote behind it, 16 to 256 characters',
  newSecret: () => `whsec_${randomBytes(24).toString('hex')}`,
};

function readClaim(value: string): Claim | undefined {
  const entries = value.split(',', MOST_ENTRIES + 1).map((entry) => ENTRY.exec(entry));
  if (entries.length > MOST_ENTRIES || entries.includes(null)) return undefined;
  const valuesOf = (wanted: string) => entries.flatMap((entry) => (entry?.[1] === wanted ? [entry[2] ?? ''] : []));
  const [seconds = '', ...more] = valuesOf('t');
  const signedAtMs = readSeconds(seconds);
  const signatures = valuesOf('v1').map((text) => ({ version: 'v1', text }) as const);
  if (signedAtMs === undefined || more.length > 0 || signatures.length === 0) return undefined;
  return { prefix: `${seconds}.`, signedAtMs, signatures };
}
