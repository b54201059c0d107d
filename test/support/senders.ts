import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { signRequest } from '@contentful/node-apps-toolkit/requests';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { schemeOf } from '../../lib/signatures/schemes.ts';
import type { SchemeSettings } from '../../lib/signatures/stored-scheme.ts';

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

/** The URL path to which every sender sends its messages. */
export const SENDER_PATH = '/v1/webhooks/cms';

/** Returns a sender that signs the time too, by the code that its documentation shows. */
function timed(
  name: 'sanity' | 'hygraph' | 'ghost' | 'slack' | 'zendesk' | 'webflow',
  write: (message: Unsigned, hmac: (...pieces: (string | Uint8Array)[]) => Buffer) => Record<string, string>,
): Sender {
  const secret = '0123456789abcdef0123456789abcdef';
  return {
    name,
    settings: { name },
    secret,
    otherSecret: 'fedcba9876543210fedcba9876543210',
    signs: { time: true, id: false },
    sign: (message, key = secret) =>
      write(message, (...pieces) => {
        const hmac = createHmac('sha256', key);
        for (const piece of pieces) hmac.update(piece);
        return hmac.digest();
      }),
  };
}

const isoOf = (atMs: number) => new Date(atMs).toISOString().replace('.000Z', 'Z');

const CONTENTFUL = '0123456789abcdef'.repeat(4);

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
  {
    name: 'contentful',
    settings: { name: 'contentful' },
    secret: CONTENTFUL,
    otherSecret: CONTENTFUL.replace('0', 'f'),
    signs: { time: true, id: false },
    sign({ body, atMs }, secret = CONTENTFUL) {
      const topic = { 'x-contentful-topic': 'ContentManagement.Entry.publish' };
      const text = Buffer.from(body).toString();
      const request = { method: 'POST', path: SENDER_PATH, headers: topic, body: text } as const;
      return { ...topic, ...signRequest(secret, request, atMs) };
    },
  },
  timed('sanity', ({ body, atMs }, hmac) => ({
    'sanity-webhook-signature': `t=${atMs},v1=${hmac(`${atMs}.`, body).toString('base64url')}`,
  })),
  timed('hygraph', ({ body, atMs }, hmac) => {
    const signed = { Body: Buffer.from(body).toString(), EnvironmentName: 'env', TimeStamp: atMs };
    return { 'gcms-signature': `sign=${hmac(JSON.stringify(signed)).toString('base64')}, env=env, t=${atMs}` };
  }),
  timed('ghost', ({ body, atMs }, hmac) => ({
    'x-ghost-signature': `sha256=${hmac(body, String(atMs)).toString('hex')}, t=${atMs}`,
  })),
  timed('slack', ({ body, atMs }, hmac) => ({
    'x-slack-request-timestamp': String(seconds(atMs)),
    'x-slack-signature': `v0=${hmac(`v0:${seconds(atMs)}:`, body).toString('hex')}`,
  })),
  timed('zendesk', ({ body, atMs }, hmac) => ({
    'x-zendesk-webhook-signature-timestamp': isoOf(atMs),
    'x-zendesk-webhook-signature': hmac(isoOf(atMs), body).toString('base64'),
  })),
  timed('webflow', ({ body, atMs }, hmac) => ({
    'x-webflow-timestamp': String(atMs),
    'x-webflow-signature': hmac(`${atMs}:`, body).toString('hex'),
  })),
  plain({ name: 'storyblok' }, (hmac) => ({ 'webhook-signature': hmac.toString('hex') }), 'sha1'),
  plain({ name: 'woocommerce' }, (hmac) => ({ 'x-wc-webhook-signature': hmac.toString('base64') })),
  plain({ name: 'kontent' }, (hmac) => ({ 'x-kontent-ai-signature': hmac.toString('base64') })),
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
