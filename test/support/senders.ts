import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { type SchemeSettings, schemeOf } from '../../lib/signatures/schemes.ts';

/** A message before it is signed. */
export interface Unsigned {
  readonly body: string | Uint8Array;
  /** The time of signing, in milliseconds since 1970. */
  readonly atMs: number;
  readonly id: string;
}

/** A sender that signs messages by a scheme. It uses a library of another author if there is one. */
export interface Sender {
  readonly name: string;
  readonly settings: SchemeSettings;
  /** The secret of the receiver. */
  readonly secret: string;
  /** Another secret of the same form. */
  readonly otherSecret: string;
  /** Whether the signature covers the time of signing and the id. */
  readonly signs: { readonly time: boolean; readonly id: boolean };
  /** Returns the headers of a signed message, by lower-case names. */
  sign(message: Unsigned, secret?: string): Record<string, string>;
}

const STANDARD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const SEEDS = ['TESTSIGNINGKEYDONOTUSETHISFORANY', 'WEBHOOKSASYMMETRICTESTPRIVATEKEY'] as const;
const PAIRS = SEEDS.map(pairOf);
const NEITHER = { time: false, id: false };

/** Returns the private key of a seed of 32 characters, and the public key in the form that receivers get. */
function pairOf(seed: string) {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({ key: Buffer.concat([prefix, Buffer.from(seed)]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { key, publicKey: `whpk_${Buffer.from(x, 'base64url').toString('base64')}` };
}

/** Signs with the private key that belongs to a public one. */
export function signAsymmetric(signed: Uint8Array, publicKey: string): string {
  const pair = PAIRS.find((candidate) => candidate.publicKey === publicKey);
  if (!pair) throw new RangeError('There is no such key');
  return `v1a,${sign(null, signed, pair.key).toString('base64')}`;
}

const [ASYMMETRIC = '', OTHER_ASYMMETRIC = ''] = PAIRS.map(({ publicKey }) => publicKey);
const seconds = (atMs: number) => Math.floor(atMs / 1_000);

function plain(
  settings: SchemeSettings,
  write: (hmac: Buffer) => Record<string, string>,
  algorithm = 'sha256',
): Sender {
  const name = settings.name === 'hmac' ? `hmac, ${settings.algorithm} in ${settings.encoding}` : settings.name;
  const secret = "It's a Secret to Everybody";
  return {
    name,
    settings,
    secret,
    otherSecret: 'It is a secret to nobody',
    signs: NEITHER,
    sign: ({ body }, key = secret) => write(createHmac(algorithm, key).update(body).digest()),
  };
}

/** Returns a sender of Standard Webhooks, whose headers begin with `prefix`. */
function standard(
  version: string,
  prefix: string,
  secret: string,
  otherSecret: string,
  signatureOf: (message: Unsigned, secret: string) => string,
): Sender {
  return {
    name: `standard-webhooks, ${version}`,
    settings: { name: 'standard-webhooks' },
    secret,
    otherSecret,
    signs: { time: true, id: true },
    sign: (message, key = secret) => ({
      [`${prefix}-id`]: message.id,
      [`${prefix}-timestamp`]: String(seconds(message.atMs)),
      [`${prefix}-signature`]: signatureOf(message, key),
    }),
  };
}

const newStandardSecret = () => schemeOf({ name: 'standard-webhooks' }).newSecret();
const signStandard = ({ id, atMs, body }: Unsigned, secret: string) =>
  new Webhook(secret).sign(id, new Date(atMs), Buffer.from(body));

const stripe = new Stripe('sk_test_none');

export const SENDERS: readonly Sender[] = [
  standard('v1', 'webhook', STANDARD, newStandardSecret(), signStandard),
  standard('v1, with the headers of Svix', 'svix', STANDARD, newStandardSecret(), signStandard),
  standard('v1a', 'webhook', ASYMMETRIC, OTHER_ASYMMETRIC, ({ id, atMs, body }, secret) =>
    signAsymmetric(Buffer.concat([Buffer.from(`${id}.${seconds(atMs)}.`), Buffer.from(body)]), secret),
  ),
  {
    name: 'stripe',
    settings: { name: 'stripe' },
    secret: 'whsec_0123456789abcdef0123456789abcdef',
    otherSecret: schemeOf({ name: 'stripe' }).newSecret(),
    signs: { time: true, id: false },
    sign: ({ body, atMs }, secret = 'whsec_0123456789abcdef0123456789abcdef') => ({
      'stripe-signature': stripe.webhooks.generateTestHeaderString({
        payload: Buffer.from(body).toString(),
        timestamp: seconds(atMs),
        secret,
      }),
    }),
  },
  plain({ name: 'github' }, (hmac) => ({ 'x-hub-signature-256': `sha256=${hmac.toString('hex')}` })),
  plain({ name: 'shopify' }, (hmac) => ({ 'x-shopify-hmac-sha256': hmac.toString('base64') })),
  plain(
    { name: 'hmac', header: 'x-signature', algorithm: 'sha512', encoding: 'base64', prefix: 'HMAC;' },
    (hmac) => ({ 'x-signature': `HMAC;${hmac.toString('base64')}` }),
    'sha512',
  ),
  plain(
    { name: 'hmac', header: 'webhook-signature', algorithm: 'sha1', encoding: 'hex' },
    (hmac) => ({ 'webhook-signature': hmac.toString('hex') }),
    'sha1',
  ),
];

/** Returns the sender with a name. */
export function senderOf(name: string): Sender {
  const sender = SENDERS.find((candidate) => candidate.name === name);
  if (!sender) throw new RangeError(`There is no sender ${name}`);
  return sender;
}
