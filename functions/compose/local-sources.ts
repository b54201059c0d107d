import { join } from 'node:path';
import { vaultInFolder, WEBHOOK_SECRETS } from '../../lib/credentials/vault-folder.ts';
import type { ItemReader } from '../../lib/storage/port.ts';
import { secretsIn } from '../../lib/webhooks/source-secrets.ts';
import { sourcesIn } from '../../lib/webhooks/sources.ts';
import { dataFolder } from './local-folder.ts';
import { once } from './once.ts';

/** The sources of webhooks of one machine: their secrets in its data folder, they themselves in a store. */
export function sourcesOn(store: () => ItemReader) {
  return {
    sources: once(() => sourcesIn(store())),
    sourceSecrets: once(() => secretsIn(vaultInFolder(join(dataFolder(), WEBHOOK_SECRETS)), Date.now)),
  };
}
