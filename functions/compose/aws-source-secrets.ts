import * as z from 'zod/mini';
import { secretInSecretsManager } from '../../lib/credentials/secret-value.ts';
import { secretsIn } from '../../lib/webhooks/source-secrets.ts';
import { secrets } from './aws-secrets.ts';
import { once } from './once.ts';

/** The secrets of sources in Secrets Manager, each under a name of its own. */
export const sourceSecrets = once(() => {
  const { SEGUE_WEBHOOK_SECRETS: prefix } = z.object({ SEGUE_WEBHOOK_SECRETS: z.string() }).parse(process.env);
  const read = (place: string) => secretInSecretsManager(prefix + place, secrets()).read();
  return secretsIn({ read }, Date.now);
});
