import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const FOLDER = import.meta.dirname;

/**
 * Installs the runtime client and the peers where they are missing. The client's native part is built then: it takes about a
 * minute, and gcc, make, cmake and Python.
 */
export async function install(): Promise<void> {
  if (existsSync(`${FOLDER}/node_modules/.package-lock.json`)) return;
  console.error('Installing the runtime client and the peers; this takes about a minute.');
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER });
}
