import { secretFiles } from '../../lib/credentials/secret-files.ts';
import { SECRETS_FOLDER, sourceSecretsIn } from '../../lib/webhooks/source-secrets.ts';
import { dataFolder } from './local-folder.ts';
import { once } from './once.ts';

/** The secrets of sources on one machine, in its data folder. */
export const sourceSecrets = once(() => sourceSecretsIn(secretFiles(dataFolder(), SECRETS_FOLDER), Date.now));
