import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Installs the packages of a folder that has its own package.json, unless they are installed already.
 * @param folder the absolute path of the folder
 */
export async function installPeers(folder: string): Promise<void> {
  if (existsSync(`${folder}/node_modules/.package-lock.json`)) return;
  console.error(`Installing the packages of ${folder}; this can take a minute.`);
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
}
