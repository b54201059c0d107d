import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import * as z from 'zod/mini';

/** A server in front of a service, which itself may go on taking a revoked key for 30 seconds. */
export interface Guard {
  readonly url: string;
  /** How many requests came with what is refused. */
  refusals(): number;
  /** @param authorization a header that is answered with 401 from now on; everything else is passed on */
  refuse(authorization: string): void;
  stop(): Promise<void>;
}

export async function startGuard(service: string): Promise<Guard> {
  const refused = new Set<string>();
  let refusals = 0;
  const server = createServer((received, response) => {
    if (!refused.has(received.headers.authorization ?? '')) return passOn(service, received, response);
    refusals += 1;
    received.resume().once('end', () => response.writeHead(401).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    refusals: () => refusals,
    refuse: (authorization) => void refused.add(authorization),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** On a connection of its own: one that is kept may be closed just as it is used again. */
function passOn(service: string, received: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = received;
  const forwarded = request(service, { agent: false, method, path: url, headers: { ...headers, connection: 'close' } });
  forwarded.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)));
  forwarded.on('error', () => response.destroy());
  received.pipe(forwarded);
}
