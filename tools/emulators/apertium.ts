import { once } from 'node:events';
import { createServer } from 'node:net';
import * as z from 'zod/mini';
import { installDebian } from './debian.ts';
import { type Emulator, start } from './emulator.ts';

/** Debian's packages of Apertium: the HTTP server, and the pairs that the tests translate. */
const PACKAGES = ['apertium', 'apertium-apy', 'apertium-eng-spa', 'apertium-eng-cat'];
const PAIRS_FOLDER = '/usr/share/apertium';

/**
 * Starts the HTTP server of Apertium. If a package is missing, it is installed first.
 * @throws an error that says what to install, if this system cannot install Debian's packages
 */
export async function startApertium(): Promise<Emulator> {
  installDebian(PACKAGES);
  const port = String(await freePort());
  return start(PAIRS_FOLDER, 'apertium-apy', ['-p', port, PAIRS_FOLDER], /Serving on .*:(\d+)/);
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
