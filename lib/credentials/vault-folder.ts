import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Vault } from './vault.ts';

/**
 * The secrets of webhooks on one machine: a file each, which only its owner may read.
 * @param dataFolder they are in a folder of it
 */
export function vaultInFolder(dataFolder: string): Vault {
  const folder = join(dataFolder, 'webhook-secrets');
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
