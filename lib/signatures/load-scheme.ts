import { BODY_SENDERS, bodyHmac, isBodySender } from './body-hmac.ts';
import type { VerifyingScheme } from './scheme.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import type { SchemeSettings } from './stored-scheme.ts';

/**
 * Returns the scheme for the settings of a source, to verify its messages. It loads the schemes with templates when a
 * source first needs one of them, so that they cost nothing at the start of the function that receives messages.
 */
export async function loadScheme(settings: SchemeSettings): Promise<VerifyingScheme> {
  const { name } = settings;
  if (name === 'standard-webhooks') return standardWebhooks;
  if (name === 'hmac') return bodyHmac(settings);
  if (isBodySender(name)) return bodyHmac(BODY_SENDERS[name]);
  const { templateSchemeOf } = await import('./template-schemes.ts');
  return templateSchemeOf(name === 'token' || name === 'template' ? settings : { name });
}
