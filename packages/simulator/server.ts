import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenHere } from '../../local/gateway.ts';

export interface SimulatorRequest {
  readonly method: string;
  /** The request target: path and query, percent-encoded. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body?: Uint8Array | undefined;
}

export interface SimulatorResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** The service behind the fault injector, as a function that answers requests. */
export type SimulatedService = (request: SimulatorRequest) => Promise<SimulatorResponse>;

/** The end of an exchange, as the client sees it. */
export type ExchangeResult =
  | { readonly kind: 'answered'; readonly response: SimulatorResponse }
  /** The client gets the headers and a part of the body. Then the connection ends. */
  | { readonly kind: 'truncated'; readonly response: SimulatorResponse }
  /** The connection ends without a response. */
  | { readonly kind: 'reset' }
  /** The connection ends as if it could not be made. */
  | { readonly kind: 'refused' }
  /** The client gets no response, however long it waits. */
  | { readonly kind: 'silent' };

const HOST = '127.0.0.1';

/** Creates the simulator's HTTP server. @param exchange handles a request, and returns how its exchange ends */
export function simulatorServer(exchange: (request: SimulatorRequest) => Promise<ExchangeResult>) {
  const server = createServer(async (incoming, outgoing) => {
    // If a client breaks off its request, the request is dropped.
    const request = await read(incoming).catch(() => undefined);
    if (request) end(outgoing, await exchange(request));
  });

  return {
    /** Listens on 127.0.0.1. With port 0, any free port is used. @returns the port */
    listen: (port: number) => listenHere(server, port),
    /** Stops listening, and ends every connection at once. */
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function read(incoming: IncomingMessage): Promise<SimulatorRequest> {
  const { method = '', url: path = '', headers } = incoming;
  const body = await buffer(incoming);
  return { method, path, headers, body: body.length > 0 ? body : undefined };
}

function end(outgoing: ServerResponse, result: ExchangeResult): void {
  switch (result.kind) {
    case 'answered':
      writeHead(outgoing, result.response);
      outgoing.end(result.response.body);
      break;
    case 'truncated': {
      const { body } = result.response;
      writeHead(outgoing, result.response);
      outgoing.write(body.subarray(0, body.length / 2), () => outgoing.socket?.destroy());
      break;
    }
    case 'reset':
    case 'refused':
      outgoing.socket?.resetAndDestroy();
      break;
    case 'silent':
      break;
  }
}

function writeHead(outgoing: ServerResponse, { status, headers, body }: SimulatorResponse): void {
  outgoing.writeHead(status, {
    ...endToEnd(headers),
    ...(status !== 204 && { 'content-length': body.length }),
  });
}

/** The headers that belong to one connection, and must not be passed on to another. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect', 'content-length']);

function endToEnd<Values extends object>(headers: Values): Partial<Values> {
  const kept: Partial<Values> = { ...headers };
  for (const name of Object.keys(headers)) if (HOP_BY_HOP.has(name)) Reflect.deleteProperty(kept, name);
  return kept;
}

/** The response if the service cannot be reached. This happens only while the service stops. */
const UNREACHABLE: SimulatorResponse = { status: 503, headers: {}, body: new Uint8Array() };

/** Returns the service that listens on a port of this machine. Compressed bodies are passed on as they are. */
export function serviceAt(port: number): SimulatedService {
  const agent = new Agent({ keepAlive: true });
  return ({ method, path, headers, body }) =>
    new Promise((resolve) => {
      const outgoing = sendRequest({
        agent,
        host: HOST,
        port,
        method,
        path,
        headers: { ...endToEnd(headers), ...(body && { 'content-length': body.length }) },
      });
      outgoing.once('error', () => resolve(UNREACHABLE));
      outgoing.once('response', (incoming) => {
        const { statusCode: status = 0 } = incoming;
        buffer(incoming).then(
          (bytes) => resolve({ status, headers: endToEnd(incoming.headers), body: bytes }),
          () => resolve(UNREACHABLE),
        );
      });
      outgoing.end(body);
    });
}
