import type { SignatureScheme } from './scheme.ts';
import { KNOWN_SENDERS } from './senders.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import type { SchemeSettings } from './stored-scheme.ts';
import { templateScheme } from './template.ts';
import { tokenScheme } from './token.ts';

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
