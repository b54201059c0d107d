import { once } from 'node:events';
import type { Server } from 'node:http';

/** A server that listens on a free port of this machine. Disposing of it ends the server. */
export interface Listening extends AsyncDisposable {
  /** The server's host and port. */
  readonly address: string;
}

export async function listen(server: Server): Promise<Listening> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server has no port');
  return {
    address: `127.0.0.1:${bound.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
