import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { receivedRequest } from './event.ts';
import { type HeldRequest, type MemoryOptions, RequestMemory } from './memory.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';
import { badSyntaxResponse, sendResponse } from './response.ts';

export interface GatewayOptions extends PipelineOptions {
  /** How long requests wait for memory, and how slow clients may be while others wait. */
  readonly memory?: Partial<MemoryOptions>;
}

export interface Gateway {
  /**
   * Listens on 127.0.0.1; port 0 is any free one.
   * @returns the port
   * @throws the system's error (`EADDRINUSE`, `EACCES`) if the port cannot be used
   */
  listen(port: number): Promise<number>;
  /** Takes no more connections, lets running requests finish, then ends every connection. */
  close(): Promise<void>;
}

/** A client's connection. */
interface Connection {
  /** Its unanswered requests in their order, and what ends the wait for each one's response to be sent. */
  readonly unanswered: Map<ServerResponse, () => void>;
  /** The end of its last request. The next one waits for it, since it may depend on its result. */
  previous: Promise<void>;
}

const HOST = '127.0.0.1';
/** Each connection holds some bytes that nobody has read yet. */
const MAX_CONNECTIONS = 512;
/** Requests on one connection that wait for their responses. */
const MAX_PIPELINED = 8;
/** How long a client may go on sending after the gateway has ended the connection, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Makes an HTTP server that behaves like API Gateway in front of the deployed functions. It passes them the same
 * events, applies the same limits, and rejects the same requests with the same responses. docs/gateway-facts.md lists
 * the assumptions about API Gateway.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const respond = createPipeline(options);
  const memory = new RequestMemory(options.memory);
  const running = new Set<Promise<void>>();
  const connections = new WeakMap<Duplex, Connection>();
  /** Connections without good credentials on which no function runs. The least recently used comes first. */
  const anonymous = new Set<Duplex>();
  let closing = false;

  /** Marks a connection as anonymous, and as used just now. */
  function markAnonymous(socket: Duplex): void {
    anonymous.delete(socket);
    if (!socket.destroyed) anonymous.add(socket);
  }

  /** Answers a request, and waits until its response is sent. */
  async function serve(request: IncomingMessage, response: ServerResponse, sent: Promise<void>): Promise<void> {
    const { socket } = request;
    if (socket.destroyed) return;
    markAnonymous(socket);
    let isAnonymous = true;
    let held: HeldRequest | undefined;
    const received = receivedRequest(request);
    const answered =
      received.host === undefined
        ? badSyntaxResponse(received)
        : await respond(received, async ({ route, query }) => {
            isAnonymous = route.scope === null;
            if (!isAnonymous) anonymous.delete(socket);
            held = await memory.hold({ request, route, query });
            anonymous.delete(socket);
            return held.body;
          });
    try {
      if (socket.destroyed) return;
      if (isAnonymous) markAnonymous(socket);
      if (closing) response.shouldKeepAlive = false;
      // The rest of its body is discarded, so that the client sees the response, even if it breaks off now.
      request.on('error', () => {}).resume();
      held?.sending(answered);
      sendResponse(response, answered);
      await sent;
    } catch (error) {
      // A response that cannot be written is a fault of its function.
      options.onFailure?.({ functionName: 'gateway', requestId: received.requestId, error });
      socket.destroy();
    } finally {
      held?.release();
      markAnonymous(socket);
    }
  }

  async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = connections.get(request.socket);
    if (!connection || connection.unanswered.size >= MAX_PIPELINED) {
      request.socket.destroy();
      return;
    }
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    connection.unanswered.set(response, resolve);
    response.once('close', resolve);
    const work = connection.previous.then(() => serve(request, response, sent));
    connection.previous = work;
    running.add(work);
    await work;
    running.delete(work);
    connection.unanswered.delete(response);
  }

  function connect(socket: Duplex): void {
    const unanswered: Connection['unanswered'] = new Map();
    connections.set(socket, { unanswered, previous: Promise.resolve() });
    markAnonymous(socket);
    // Node does not tell a response behind another one that the connection has ended.
    socket.once('close', () => {
      anonymous.delete(socket);
      for (const settle of unanswered.values()) settle();
    });
  }

  /** Ends a connection with bytes that are not HTTP, or that ask for a tunnel, after the responses to requests before them. */
  function endWithBadSyntax(socket: Duplex): void {
    const open = [...(connections.get(socket)?.unanswered.keys() ?? [])];
    const last = open.findLast(({ req, writableFinished }) => req.complete && !writableFinished);
    if (!last) {
      end(socket, badSyntaxBytes());
      return;
    }
    last.shouldKeepAlive = false;
    // If its head is sent already, Node would keep the connection.
    last.once('finish', () => end(socket));
  }

  const server = createServer({
    requireHostHeader: false, // Node would answer with an empty body.
    headersTimeout: 10_000,
    connectionsCheckingInterval: 5_000,
    requestTimeout: 120_000,
    keepAliveTimeout: 60_000,
    highWaterMark: 16_384, // How much of a body is received before it is read.
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = 120_000; // A client that does not take its response must not keep the gateway from closing.
  // A client may close its side after its last request; Node would drop the responses that are not sent by then.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', connect);
  server.on('drop', () => {
    server.closeIdleConnections();
    const [oldest] = anonymous;
    oldest?.destroy();
  });
  for (const event of ['request', 'checkExpectation']) server.on(event, accept);
  server.on('connect', (_request, socket) => endWithBadSyntax(socket));
  server.on('clientError', (_error, socket) => endWithBadSyntax(socket));

  return {
    listen: (port) => listenHere(server, port),
    async close() {
      closing = true;
      const closed = once(server, 'close');
      server.close();
      while (running.size > 0) await Promise.all(running);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Makes a server listen on 127.0.0.1. @returns its port */
export async function listenHere(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port');
  return address.port;
}

/** The 400 of a connection that has no request. */
function badSyntaxBytes(): string {
  const { headers, body } = badSyntaxResponse({ requestId: randomUUID(), baseUrl: `http://${HOST}` });
  const lines = Object.entries({ ...headers, 'Content-Length': body.length, Connection: 'close' });
  return `HTTP/1.1 400 Bad Request\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/**
 * Ends a connection with a last text, and destroys it once the client has ended it too. A connection that is destroyed
 * with unread bytes is reset, and the client may lose its response.
 */
function end(socket: Duplex, text = ''): void {
  socket.on('error', () => {}); // The client may be gone already.
  if (socket.writable) socket.end(text);
  else if (text) socket.destroy();
  socket.once('end', () => socket.destroy()).resume();
  if (socket.readableEnded) socket.destroy();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
