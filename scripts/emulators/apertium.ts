import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import * as z from 'zod/mini';
import { type Emulator, run, start } from './emulator.ts';

/** Debian's packages of Apertium: the HTTP server, and the pairs that the tests translate. */
const PACKAGES = ['apertium', 'apertium-apy', 'apertium-eng-spa', 'apertium-eng-cat'];
const PAIRS_FOLDER = '/usr/share/apertium';

/**
 * Starts the HTTP server of Apertium. If a package is missing, it is installed first.
 * @throws an error that says what to install, if this system cannot install Debian's packages
 */
export async function startApertium(): Promise<Emulator> {
  install();
  const port = String(await freePort());
  return start(PAIRS_FOLDER, 'apertium-apy', ['-p', port, PAIRS_FOLDER], /Serving on .*:(\d+)/);
}

function install(): void {
  const missing = PACKAGES.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  try {
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing]);
  } catch {
    throw new Error(
      `Cannot install ${missing.join(', ')}: run "apt-get install ${missing.join(' ')}" as root, on Debian or Ubuntu`,
    );
  }
}

function isInstalled(name: string): boolean {
  try {
    return execFileSync('dpkg', ['-s', name], { stdio: 'pipe' }).includes('Status: install ok installed');
  } catch {
    return false;
  }
}

/** Returns a port that nobody uses. The server of Apertium does not print the port that it takes by itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  server.close();
  await once(server, 'close');
  return port;
}
