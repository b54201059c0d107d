import * as z from 'zod/mini';
import { recordOf } from '../storage/record.ts';
import { HMAC_ALGORITHMS, HMAC_ENCODINGS, HMAC_SENDERS, hmacScheme, stripe } from './hmac.ts';
import type { SignatureScheme } from './scheme.ts';
import { standardWebhooks } from './standard-webhooks.ts';

/** The schemes that need no settings, by name. */
const NAMED = {
  'standard-webhooks': standardWebhooks,
  github: hmacScheme(HMAC_SENDERS.github),
  stripe,
  shopify: hmacScheme(HMAC_SENDERS.shopify),
} as const satisfies Record<string, SignatureScheme>;

const Named = z.strictObject({ name: z.enum(['standard-webhooks', 'github', 'stripe', 'shopify']) });

/** The schema of a plain HMAC of the body, with settings for one sender. */
const Hmac = z.strictObject({
  name: z.literal('hmac'),
  header: z
    .string()
    .check(z.regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'Give the name of a header in lower case, such as x-signature')),
  algorithm: z.enum(HMAC_ALGORITHMS),
  encoding: z.enum(HMAC_ENCODINGS),
  prefix: z.optional(
    z.string().check(z.regex(/^[\x21-\x7e]{1,32}$/, 'Give the text before the signature: 1 to 32 visible characters')),
  ),
});

/** The scheme that signs the messages of a source, with its settings. */
export const SchemeSettings = z.union([Named, Hmac]);
export type SchemeSettings = z.infer<typeof SchemeSettings>;

/** The scheme as the record of a source has it, perhaps with settings of a newer release. */
export const StoredScheme = z.union([recordOf(() => Named.shape), recordOf(() => Hmac.shape)]);

/** The names of all schemes. */
export const SCHEME_NAMES = ['standard-webhooks', 'github', 'stripe', 'shopify', 'hmac'] as const;

/** Returns the scheme for the settings of a source. */
export function schemeOf(settings: SchemeSettings): SignatureScheme {
  return settings.name === 'hmac' ? hmacScheme(settings) : NAMED[settings.name];
}
