import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { freeTurn } from '../lib/service/turn.ts';
import { addressOf, receivedRequest } from './event.ts';
import { type HeldRequest, type MemoryOptions, RequestMemory } from './memory.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';
import { badSyntaxResult, sendResponse } from './response.ts';

export interface GatewayOptions extends PipelineOptions {
  /** The time limits for requests that wait for memory, and for slow clients that hold memory. */
  readonly memory?: Partial<MemoryOptions>;
}

export interface Gateway {
  /**
   * Starts to listen on 127.0.0.1. With port 0, any free port is used.
   * @returns the port
   * @throws the operating system's error (`EADDRINUSE`, `EACCES`) if the port cannot be used
   */
  listen(port: number): Promise<number>;
  /** Accepts no more connections, waits for the running requests, and then ends every connection. */
  close(): Promise<void>;
}

/** A client's connection. */
interface Connection {
  /** The responses that are not sent yet, in the order of their requests. */
  readonly unanswered: Set<ServerResponse>;
  /** Resolves when the last request has ended. The next request waits for it, because it may depend on the result. */
  previous: Promise<void>;
}

const HOST = '127.0.0.1';
/** How many connections may be open. Each holds some bytes that nobody has read yet. */
const MAX_CONNECTIONS = 512;
/** How many requests on one connection may wait for their responses. */
const MAX_PIPELINED = 8;
/** How long a client may keep sending after the gateway has ended the connection, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Creates an HTTP server that behaves like API Gateway in front of Segue's Lambda functions. It sends the functions the
 * same events, applies the same limits, and rejects the same requests with the same responses. docs/gateway-facts.md
 * lists what is assumed about API Gateway.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const respond = createPipeline(options);
  const memory = new RequestMemory(options.memory);
  const running = new Set<Promise<void>>();
  const connections = new WeakMap<Duplex, Connection>();
  /**
   * The connections on which no function runs for valid credentials. The least recently used connection comes first.
   */
  const closable = new Set<Duplex>();
  let closing = false;

  /** Marks a connection as just used. @param isBusy whether it may not be closed to make room for others */
  function use(socket: Duplex, isBusy = false): void {
    closable.delete(socket);
    if (!isBusy && !socket.destroyed) closable.add(socket);
  }

  /** Answers a request, and waits until its response has been sent. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    // After the last response on a connection, Node gives later responses no socket.
    if (socket.destroyed || !response.socket) return;
    use(socket);
    let hasCredentials = false;
    let held: HeldRequest | undefined;
    const received = receivedRequest(request);
    const answer = await respond(received, async (asked) => {
      hasCredentials = asked.route.scope !== null;
      use(socket, hasCredentials);
      held = await memory.hold({ request, ...asked });
      use(socket, true);
      return held.body;
    });
    try {
      if (socket.destroyed) return;
      use(socket, hasCredentials);
      if (closing) response.shouldKeepAlive = false;
      // The rest of the request's body is discarded. The client then sees the response even if it stops sending now.
      request.on('error', () => {}).resume();
      held?.sending(answer);
      const sent = new Promise((resolve) => response.once('close', resolve));
      sendResponse(response, answer);
      await sent;
    } catch (error) {
      // If a response cannot be written, the function returned an invalid one.
      options.onFailure?.({ functionName: 'gateway', requestId: received.requestId, error });
      socket.destroy();
    } finally {
      held?.release();
      use(socket);
    }
  }

  async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = connections.get(request.socket);
    if (!connection || connection.unanswered.size >= MAX_PIPELINED) {
      request.socket.destroy();
      return;
    }
    connection.unanswered.add(response);
    const work = connection.previous.then(() => serve(request, response));
    connection.previous = work;
    running.add(work);
    await work;
    running.delete(work);
    connection.unanswered.delete(response);
  }

  function connect(socket: Duplex): void {
    freeTurn();
    connections.set(socket, { unanswered: new Set(), previous: Promise.resolve() });
    use(socket);
    socket.once('close', () => closable.delete(socket));
  }

  /**
   * Ends a connection that sent bytes which are not HTTP, or asked for a tunnel. Earlier requests get their responses
   * first.
   */
  function endWithBadSyntax(socket: Duplex): void {
    const last = [...(connections.get(socket)?.unanswered ?? [])].findLast(
      ({ req, writableFinished }) => req.complete && !writableFinished,
    );
    if (!last) {
      end(socket, badSyntaxBytes(socket));
      return;
    }
    last.shouldKeepAlive = false;
    // If the response's head has been sent already, `shouldKeepAlive` has no effect, so the connection is ended here.
    last.once('finish', () => end(socket));
  }

  const server = createServer({
    requireHostHeader: false, // With `true`, Node would answer with an empty body.
    headersTimeout: 10_000,
    connectionsCheckingInterval: 5_000,
    requestTimeout: 60_000, // Less than `timeout`, so that the client gets an answer.
    keepAliveTimeout: 60_000,
    highWaterMark: 16_384, // How many bytes of a body are received before it is read.
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = 120_000; // Otherwise a client that does not take its response could keep the gateway from closing.
  // A client may close its side after its last request. Without this option, Node would drop the responses not yet
  // sent.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', connect);
  server.on('drop', () => {
    server.closeIdleConnections();
    const [oldest] = closable;
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

/** Lets a server listen on 127.0.0.1. @returns the server's port */
export async function listenHere(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port');
  return address.port;
}

/** Returns the bytes of the 400 response for a connection without a valid request. */
function badSyntaxBytes(socket: Duplex): string {
  const { headers, body } = badSyntaxResult({ requestId: randomUUID(), baseUrl: `http://${addressOf(socket)}` });
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
  return `HTTP/1.1 400 Bad Request\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/**
 * Sends a last text and ends a connection, then destroys it when the client has ended it too. If a connection with
 * unread bytes is destroyed, the client may not get its response.
 */
function end(socket: Duplex, text = ''): void {
  socket.on('error', () => {}); // The client may have gone already.
  if (socket.writable) socket.end(text);
  else if (text) socket.destroy();
  socket.resume();
  // A timer that goes on would keep the connection's buffers in memory.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
