import * as z from 'zod/mini';
import { recordOf } from '../storage/record.ts';
import { HMAC_ALGORITHMS, HMAC_ENCODINGS } from './hmac.ts';
import type { SignatureScheme } from './scheme.ts';
import { KNOWN_SENDERS } from './senders.ts';
import { TIME_UNITS } from './signed-time.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { templateScheme } from './template.ts';
import { tokenScheme } from './token.ts';

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
] as const satisfies readonly ('standard-webhooks' | keyof typeof KNOWN_SENDERS)[];

const FORM = { algorithm: z.enum(HMAC_ALGORITHMS), encoding: z.enum(HMAC_ENCODINGS) };
const text = z.optional(z.string());

/** The stored settings of each kind of scheme. `scheme-settings.ts` has the rules for new ones. */
const STORED = {
  named: { name: z.enum(NAMED_SCHEMES) },
  hmac: { name: z.literal('hmac'), header: z.string(), ...FORM, prefix: text },
  template: {
    name: z.literal('template'),
    template: z.string(),
    signature: z.string(),
    ...FORM,
    prefix: text,
    timestamp: text,
    timeUnit: z.optional(z.enum(TIME_UNITS)),
    id: text,
    parts: text,
  },
  token: { name: z.literal('token'), header: text, prefix: text, basic: text, query: text },
};

/** The scheme as the record of a source has it, perhaps with settings of a newer release. */
export const StoredScheme = z.union([
  recordOf(() => STORED.named),
  recordOf(() => STORED.hmac),
  recordOf(() => STORED.template),
  recordOf(() => STORED.token),
]);
/** The scheme that signs the messages of a source, with its settings. */
export type SchemeSettings = z.infer<typeof StoredScheme>;

/** The schemes of known senders that this process has used. */
const known = new Map<string, SignatureScheme>();

/** Returns the scheme for the settings of a source. */
export function schemeOf(settings: SchemeSettings): SignatureScheme {
  const { name } = settings;
  if (name === 'standard-webhooks') return standardWebhooks;
  if (name === 'token') return tokenScheme(settings);
  if (name === 'template') return templateScheme(settings);
  if (name === 'hmac') return templateScheme({ ...settings, template: '{body}', signature: settings.header });
  const scheme = known.get(name) ?? templateScheme(KNOWN_SENDERS[name]);
  known.set(name, scheme);
  return scheme;
}
