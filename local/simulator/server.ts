import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Asked, Ending, Reply } from './exchange.ts';
import { passedOn } from './forward.ts';

const HOST = '127.0.0.1';

export interface SimulatorServer {
  /** Listens on 127.0.0.1; port 0 is any free one. @returns the port */
  listen(port: number): Promise<number>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** An HTTP server each of whose exchanges ends as a function says. */
export function simulatorServer(exchange: (asked: Asked) => Promise<Ending>): SimulatorServer {
  const server = createServer(async (request, response) => {
    // A client that breaks off gets nothing, and what it asked for is not carried out.
    const asked = await read(request).catch(() => undefined);
    if (asked) end(response, await exchange(asked));
  });

  return {
    async listen(port) {
      server.listen(port, HOST);
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new TypeError('The server has no port');
      return address.port;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const { method = '', url: path = '', headers } = request;
  const body = await buffer(request);
  return { method, path, headers, body: body.length > 0 ? body : undefined };
}

function end(response: ServerResponse, ending: Ending): void {
  switch (ending.kind) {
    case 'answered':
      writeHead(response, ending.reply);
      response.end(ending.reply.body);
      break;
    case 'truncated': {
      const { body } = ending.reply;
      writeHead(response, ending.reply);
      response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
      break;
    }
    case 'reset':
    case 'refused':
      response.socket?.resetAndDestroy();
      break;
    case 'silent':
      break;
  }
}

function writeHead(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, {
    ...passedOn(headers),
    ...(status !== 204 && { 'content-length': body.length }),
  });
}
