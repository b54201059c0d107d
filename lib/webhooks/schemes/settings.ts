import * as z from 'zod/mini';
import { type HmacSettings, hmacScheme } from './hmac.ts';
import { ALGORITHMS, ENCODINGS } from './keys.ts';
import type { Scheme } from './scheme.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { stripe } from './stripe.ts';

/** The schemes that are a plain HMAC under a name of their own. */
export const HMAC_SETTINGS = {
  github: { header: 'x-hub-signature-256', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' },
  shopify: { header: 'x-shopify-hmac-sha256', algorithm: 'sha256', encoding: 'base64' },
} as const satisfies Record<string, HmacSettings>;

const NAMED = {
  'standard-webhooks': standardWebhooks,
  github: hmacScheme(HMAC_SETTINGS.github),
  stripe,
  shopify: hmacScheme(HMAC_SETTINGS.shopify),
} as const satisfies Record<string, Scheme>;

/** The schemes that need no settings, each the habit of a sender. */
const Named = z.strictObject({ name: z.enum(['standard-webhooks', 'github', 'stripe', 'shopify']) });

/** A plain HMAC of the body, as its sender writes it. */
const Hmac = z.strictObject({
  name: z.literal('hmac'),
  header: z.string().check(z.regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'The name of a header, such as x-signature')),
  algorithm: z.enum(ALGORITHMS),
  encoding: z.enum(ENCODINGS),
  prefix: z.optional(
    z.string().check(z.regex(/^[\x21-\x7e]{1,32}$/, 'What stands before the signature: 1 to 32 visible characters')),
  ),
});

/** How the messages of a source are signed. */
export const SchemeSettings = z.union([Named, Hmac]);
export type SchemeSettings = z.infer<typeof SchemeSettings>;

/** Every name that a scheme can have. */
export const SCHEME_NAMES = ['standard-webhooks', 'github', 'stripe', 'shopify', 'hmac'] as const;

/** The scheme that settings name. */
export function schemeOf(settings: SchemeSettings): Scheme {
  return settings.name === 'hmac' ? hmacScheme(settings) : NAMED[settings.name];
}
