import * as z from 'zod/mini';
import { endpointOf } from '../../lib/aws/sdk-endpoint.ts';
import { secretsManagerReader } from '../../lib/aws/secrets-manager.ts';
import type { ReadSecret } from '../../lib/credentials/cached-secret.ts';

/** The company id and API key at the service behind Segue: from the environment, or from a secret that it names. */
export function upstreamSecret(): ReadSecret {
  const { SEGUE_UPSTREAM_SECRET: name, ...account } = z
    .object({
      SEGUE_UPSTREAM_SECRET: z.optional(z.string()),
      SEGUE_UPSTREAM_COMPANY_ID: z.optional(z.string()),
      SEGUE_UPSTREAM_API_KEY: z.optional(z.string()),
    })
    .parse(process.env);
  if (!name) {
    const { SEGUE_UPSTREAM_COMPANY_ID: companyId, SEGUE_UPSTREAM_API_KEY: apiKey } = account;
    return async () => JSON.stringify({ companyId, apiKey });
  }
  const read = secretsManagerReader({ endpointOf, now: Date.now });
  return () => read(name);
}
