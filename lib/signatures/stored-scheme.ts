import * as z from 'zod/mini';
import { recordOf } from '../storage/record.ts';
import { HMAC_ALGORITHMS, HMAC_ENCODINGS } from './hmac.ts';
import { TIME_UNITS } from './time-units.ts';

/** The names of the schemes that need no settings. */
export const NAMED_SCHEMES = [
  'standard-webhooks',
  'github',
  'stripe',
  'shopify',
  'contentful',
  'sanity',
  'hygraph',
  'ghost',
  'slack',
  'zendesk',
  'webflow',
  'storyblok',
  'woocommerce',
  'kontent',
] as const;

const text = z.optional(z.string());

/**
 * The scheme as the record of a source has it, perhaps with settings of a newer release. `scheme-settings.ts` has the
 * rules for new ones.
 */
export const StoredScheme = z.union([
  recordOf(() => ({ name: z.enum(NAMED_SCHEMES) })),
  recordOf(() => ({ name: z.literal('hmac'), header: z.string(), ...form(), prefix: text })),
  recordOf(() => ({
    name: z.literal('template'),
    template: z.string(),
    signature: z.string(),
    ...form(),
    prefix: text,
    timestamp: text,
    timeUnit: z.optional(z.enum(TIME_UNITS)),
    id: text,
    parts: text,
  })),
  recordOf(() => ({ name: z.literal('token'), header: text, prefix: text, basic: text, query: text })),
]);
/** The scheme that signs the messages of a source, with its settings. */
export type SchemeSettings = z.infer<typeof StoredScheme>;

function form() {
  return { algorithm: z.enum(HMAC_ALGORITHMS), encoding: z.enum(HMAC_ENCODINGS) };
}
