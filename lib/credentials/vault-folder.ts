import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Vault } from './vault.ts';

/** The folder of a machine's data in which the secrets of webhooks are. */
export const WEBHOOK_SECRETS = 'webhook-secrets';

/** The secrets of one machine: a file each, in a folder that only its owner may read. */
export function vaultInFolder(folder: string): Vault {
  const pathOf = (place: string) => join(folder, `${place}.json`);
  return {
    read: (place) => readFile(pathOf(place), 'utf8'),
    async write(place, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(pathOf(place), text, { mode: 0o600, flush: true });
    },
    erase: (place) => rm(pathOf(place), { force: true }),
  };
}
