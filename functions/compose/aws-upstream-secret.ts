import * as z from 'zod/mini';
import { secretInSecretsManager } from '../../lib/credentials/secret-value.ts';
import type { SecretReader } from '../../lib/credentials/secrets.ts';
import { secrets } from './aws-secrets.ts';

/** Where the company id and API key at the service behind Segue are kept. */
export function upstreamSecret(): SecretReader {
  const { SEGUE_UPSTREAM_SECRET } = z.object({ SEGUE_UPSTREAM_SECRET: z.string() }).parse(process.env);
  return secretInSecretsManager(SEGUE_UPSTREAM_SECRET, secrets());
}
