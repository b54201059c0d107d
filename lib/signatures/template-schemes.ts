import type { SignatureScheme } from './scheme.ts';
import { KNOWN_SENDERS } from './senders.ts';
import type { SchemeSettings } from './stored-scheme.ts';
import { templateScheme } from './template.ts';
import { tokenScheme } from './token.ts';

/** The settings of a scheme with a template, or with a fixed secret. */
type TemplateOrToken =
  | { readonly name: keyof typeof KNOWN_SENDERS }
  | Extract<SchemeSettings, { name: 'template' | 'token' }>;

/** The schemes of known senders that this process has used. */
const known = new Map<string, SignatureScheme>();

/** Returns the scheme of a sender that signs more than the body, or nothing. */
export function templateSchemeOf(settings: TemplateOrToken): SignatureScheme {
  if (settings.name === 'token') return tokenScheme(settings);
  if (settings.name === 'template') return templateScheme(settings);
  const { name } = settings;
  const scheme = known.get(name) ?? templateScheme(KNOWN_SENDERS[name]);
  known.set(name, scheme);
  return scheme;
}
