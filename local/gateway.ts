import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { discardBody, hasBody, readBody } from './body.ts';
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
const MOST_CONNECTIONS = 512;
/** Requests on one connection that wait for their responses. */
const MOST_PIPELINED = 8;
/** How much of a body is received before it is read. */
const READ_AHEAD_BYTES = 16_384;

/**
 * Makes an HTTP server that treats requests as API Gateway treats those of the deployed REST API: the same events to the
 * same functions, the same limits, and the same responses of its own. docs/gateway-facts.md lists what it assumes.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const respond = createPipeline(options);
  const memory = new RequestMemory(options.memory);
  const running = new Set<Promise<void>>();
  const connections = new WeakMap<Duplex, Connection>();
  /** Connections without good credentials on which no function runs. The least recently used comes first. */
  const anonymous = new Set<Duplex>();
  let closing = false;

  const server = createServer({
    requireHostHeader: false, // Node would answer with an empty body.
    headersTimeout: 10_000,
    connectionsCheckingInterval: 5_000,
    requestTimeout: 120_000,
    keepAliveTimeout: 60_000,
    highWaterMark: READ_AHEAD_BYTES,
  });
  server.maxConnections = MOST_CONNECTIONS;

  /** Answers a request. @returns the memory that it holds until its response is sent */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<HeldRequest | undefined> {
    const { socket } = request;
    if (socket.destroyed) return undefined;
    let continued = request.headers.expect?.toLowerCase() !== '100-continue';
    let isAnonymous = true;
    let held: HeldRequest | undefined;
    const received = receivedRequest(request, options.now());
    const answered =
      received.host === undefined
        ? badSyntaxResponse(received)
        : await respond(received, async ({ route, query }) => {
            isAnonymous = route.scope === null;
            if (!isAnonymous) anonymous.delete(socket);
            const receive = () => {
              if (!continued) response.writeContinue();
              continued = true;
              return readBody(request, route.body);
            };
            held = await memory.hold({ request, route, query, receive, hangUp: () => endWithBadSyntax(socket) });
            anonymous.delete(socket);
            return held.body;
          });
    if (socket.destroyed) return held;
    if (isAnonymous) markAnonymous(socket);
    // A client that was not told to continue may send its body or not: the connection cannot be used again.
    if (closing || !continued) response.shouldKeepAlive = false;
    if (!request.complete && hasBody(request)) discardBody(request);
    held?.sending(answered);
    sendResponse(response, answered);
    return held;
  }

  /** Marks a connection as anonymous, and as used just now. */
  function markAnonymous(socket: Duplex): void {
    anonymous.delete(socket);
    if (!socket.destroyed) anonymous.add(socket);
  }

  /** Makes room for another connection. */
  function dropAnonymous(): void {
    server.closeIdleConnections();
    const [oldest] = anonymous;
    oldest?.destroy();
  }

  async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = connections.get(request.socket);
    if (!connection || connection.unanswered.size >= MOST_PIPELINED) {
      request.socket.destroy();
      return;
    }
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    connection.unanswered.set(response, resolve);
    response.once('close', resolve);
    const work = answerAfter(connection.previous, request, response, sent);
    connection.previous = work;
    running.add(work);
    await work;
    running.delete(work);
    connection.unanswered.delete(response);
  }

  async function answerAfter(
    previous: Promise<void>,
    request: IncomingMessage,
    response: ServerResponse,
    sent: Promise<void>,
  ): Promise<void> {
    await previous;
    markAnonymous(request.socket);
    const held = await serve(request, response);
    await sent;
    held?.release();
    markAnonymous(request.socket);
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
      sendBadSyntax(socket);
      return;
    }
    last.shouldKeepAlive = false;
    // If its head is sent already, Node would keep the connection.
    last.once('finish', () => {
      socket.end();
      linger(socket);
    });
  }

  // A client may close its side after its last request; Node would drop the responses that are not sent by then.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.timeout = 120_000; // A client that does not take its response must not keep the gateway from closing.
  server.on('connection', connect);
  server.on('drop', dropAnonymous);
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, accept);
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

/** Answers 400 on a connection that has no request, and ends it. */
function sendBadSyntax(socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { headers, body } = badSyntaxResponse({ requestId: randomUUID(), baseUrl: `http://${HOST}` });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => {}); // The client may be gone already.
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${lines.join('')}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  linger(socket);
}

/** How long a client may go on sending after the gateway has ended the connection, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Destroys an ended connection once the client has ended it too. A connection that is destroyed with unread bytes is
 * reset, and the client may lose its response.
 */
function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
  if (socket.readableEnded) socket.destroy();
  else socket.resume();
}
