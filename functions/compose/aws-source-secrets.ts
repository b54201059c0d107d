import * as z from 'zod/mini';
import { vaultInSecretsManager } from '../../lib/credentials/vault-secrets-manager.ts';
import { secretsIn } from '../../lib/webhooks/source-secrets.ts';
import { secretsClient } from './aws-secrets.ts';
import { once } from './once.ts';

/** The secrets of sources in Secrets Manager, each under a name of its own. */
export const sourceSecrets = once(() => {
  const { SEGUE_WEBHOOK_SECRETS: prefix } = z.object({ SEGUE_WEBHOOK_SECRETS: z.string() }).parse(process.env);
  return secretsIn(vaultInSecretsManager({ prefix }, secretsClient()), Date.now);
});
