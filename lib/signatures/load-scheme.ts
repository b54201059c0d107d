import type { SignatureScheme } from './scheme.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import type { SchemeSettings } from './stored-scheme.ts';

/**
 * Returns the scheme for the settings of a source, as `schemeOf` does. It loads the other schemes when a source first
 * needs one of them, so that they cost nothing at the start of the function that receives messages.
 */
export async function loadScheme(settings: SchemeSettings): Promise<SignatureScheme> {
  if (settings.name === 'standard-webhooks') return standardWebhooks;
  const { schemeOf } = await import('./schemes.ts');
  return schemeOf(settings);
}
