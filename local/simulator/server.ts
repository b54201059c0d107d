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
import { listenHere } from '../gateway.ts';

export interface SimulatorRequest {
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body?: Uint8Array | undefined;
}

export interface SimulatorResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** The service behind the fault injector: answers every request. */
export type SimulatedService = (request: SimulatorRequest) => Promise<SimulatorResponse>;

/** What the client of an exchange sees. */
export type ExchangeResult =
  | { readonly kind: 'answered'; readonly response: SimulatorResponse }
  /** The headers and a part of the body; then the connection ends. */
  | { readonly kind: 'truncated'; readonly response: SimulatorResponse }
  /** The connection ends without a response. */
  | { readonly kind: 'reset' }
  /** No connection. */
  | { readonly kind: 'refused' }
  /** No response, for as long as the client waits. */
  | { readonly kind: 'silent' };

const HOST = '127.0.0.1';

/** Makes an HTTP server whose exchanges end as a function says. */
export function simulatorServer(exchange: (request: SimulatorRequest) => Promise<ExchangeResult>) {
  const server = createServer(async (incoming, outgoing) => {
    // A client that breaks off gets nothing, and its request is not carried out.
    const request = await read(incoming).catch(() => undefined);
    if (request) end(outgoing, await exchange(request));
  });

  return {
    /** Listens on 127.0.0.1; port 0 is any free one. @returns the port */
    listen: (port: number) => listenHere(server, port),
    /** Ends every connection. */
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

/** Headers of one connection, which do not hold for the next. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect', 'content-length']);

function endToEnd<Values extends object>(headers: Values): Partial<Values> {
  const kept: Partial<Values> = { ...headers };
  for (const name of Object.keys(headers)) if (HOP_BY_HOP.has(name)) Reflect.deleteProperty(kept, name);
  return kept;
}

/** The response if the service cannot be reached, which happens only while it ends. */
const UNREACHABLE: SimulatorResponse = { status: 503, headers: {}, body: new Uint8Array() };

/** The service at a port of this machine. Bodies keep their encoding. */
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
