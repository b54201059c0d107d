import { vaultInFolder } from '../../lib/credentials/vault-folder.ts';
import { secretsIn } from '../../lib/webhooks/source-secrets.ts';
import { dataFolder } from './local-folder.ts';
import { once } from './once.ts';

/** The secrets of sources on one machine, in its data folder. */
export const sourceSecrets = once(() => secretsIn(vaultInFolder(dataFolder()), Date.now));
