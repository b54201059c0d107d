import * as z from 'zod/mini';
import { fixedSecret, type SecretReader } from '../../lib/credentials/secrets.ts';
import { once } from './once.ts';

/** The company id and API key at the service behind Segue: from the environment, or from a secret that it names. */
export function upstreamSecret(): SecretReader {
  const { SEGUE_UPSTREAM_SECRET: name, ...account } = z
    .object({
      SEGUE_UPSTREAM_SECRET: z.optional(z.string()),
      SEGUE_UPSTREAM_COMPANY_ID: z.optional(z.string()),
      SEGUE_UPSTREAM_API_KEY: z.optional(z.string()),
    })
    .parse(process.env);
  if (!name) {
    const { SEGUE_UPSTREAM_COMPANY_ID: companyId, SEGUE_UPSTREAM_API_KEY: apiKey } = account;
    return fixedSecret(JSON.stringify({ companyId, apiKey }));
  }
  // The SDK is loaded only where there is a secret to read: it would double the time of a start.
  const reader = once(async () => {
    const { secretInSecretsManager, secretsManagerClient } = await import('../../lib/credentials/secrets-manager.ts');
    return secretInSecretsManager(name, secretsManagerClient());
  });
  return { read: async () => (await reader()).read() };
}
