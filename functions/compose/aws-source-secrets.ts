import * as z from 'zod/mini';
import { sourceSecretsIn } from '../../lib/webhooks/source-secrets.ts';
import { secretReader } from './aws-secrets.ts';
import { once } from './once.ts';

/** The secrets of sources in Secrets Manager, each under a name of its own. */
export const sourceSecrets = once(() => {
  const { SEGUE_WEBHOOK_SECRETS: prefix } = z.object({ SEGUE_WEBHOOK_SECRETS: z.string() }).parse(process.env);
  const read = secretReader();
  return sourceSecretsIn({ read: (name) => read(prefix + name) }, Date.now);
});
