import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Place } from './admission.ts';
import { type Answer, send } from './answer.ts';
import { discardBody, hasBody, readBody } from './body.ts';
import { isHost, readHeaders } from './headers.ts';
import { createPipeline, type PipelineOptions, type ReadBody } from './pipeline.ts';
import { refuseSyntax } from './refusal.ts';
import { type Admit, createRoom } from './room.ts';
import { splitTarget } from './target.ts';

export interface GatewayOptions extends PipelineOptions {
  /** How requests share the memory that there is. */
  readonly admit?: Admit;
}

export interface Gateway {
  /**
   * Listens on 127.0.0.1; port 0 is any free one.
   * @returns the port
   * @throws the system's error (`EADDRINUSE`, `EACCES`) where the port cannot be had
   */
  listen(port: number): Promise<number>;
  /** Takes no more connections, lets running requests finish, then ends every connection. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/** Connections at once. What each has sent and nobody has read yet is in memory. */
const MOST_CONNECTIONS = 512;
/** Requests on one connection that wait for their answers. */
const MOST_PIPELINED = 8;
/** How much of a body is taken in before somebody reads it. */
const READ_AHEAD_BYTES = 16_384;

/**
 * An HTTP server that treats requests as API Gateway treats those of the deployed REST API: the same events to the
 * same functions, the same limits, and the same answers of its own. What it assumes stands in docs/gateway-facts.md.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const now = options.now;
  const respond = createPipeline(options);
  const admit = options.admit ?? createRoom();
  const running = new Set<Promise<void>>();
  /** The last request of each connection, which the next one waits for: what it asks for may depend on what came of it. */
  const turns = new WeakMap<Duplex, Promise<void>>();
  /** The unanswered requests of each connection in their order, and what to call when an answer can go no further. */
  const unanswered = new WeakMap<Duplex, Map<ServerResponse, () => void>>();
  /** Connections on which nobody has proved anything and no function is at work, those used longest ago first. */
  const expendable = new Set<Duplex>();
  let closing = false;

  const server = createServer({
    requireHostHeader: false, // Node would refuse with an empty body.
    headersTimeout: 10_000,
    connectionsCheckingInterval: 5_000,
    requestTimeout: 120_000,
    keepAliveTimeout: 60_000,
    highWaterMark: READ_AHEAD_BYTES,
  });
  server.maxConnections = MOST_CONNECTIONS;

  /** @returns what the request takes until its answer is sent */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<Place | undefined> {
    if (request.socket.destroyed) return undefined;
    let continued = !awaitsContinue(request);
    let place: Place | undefined;
    let isAnonymous = true;
    const answer = await answerTo(request, async (called) => {
      isAnonymous = called.isAnonymous;
      if (!isAnonymous) expendable.delete(request.socket);
      const receive = () => {
        if (!continued) response.writeContinue();
        continued = true;
        return readBody(request, called.limits);
      };
      const admitted = await admit({ request, called, receive, hangUp: () => refuseBytes(request.socket) });
      place = admitted.place;
      expendable.delete(request.socket);
      return admitted.body;
    });
    place?.resize(answer.body.length);
    if (request.socket.destroyed) return place;
    if (isAnonymous) expend(request.socket);
    // Whether a client that was not told to continue still sends its body cannot be known.
    if (closing || !continued) response.shouldKeepAlive = false;
    if (!request.complete && hasBody(request)) discardBody(request);
    send(response, answer);
    place?.lend({ end: () => request.socket.destroy() });
    return place;
  }

  /** Marks a connection as expendable, and as used just now. */
  function expend(socket: Duplex): void {
    expendable.delete(socket);
    if (!socket.destroyed) expendable.add(socket);
  }

  function makeRoom(): void {
    server.closeIdleConnections();
    const [oldest] = expendable;
    oldest?.destroy();
  }

  async function answerTo(request: IncomingMessage, body: ReadBody): Promise<Answer> {
    const requestId = randomUUID();
    const headers = readHeaders(request);
    const { localPort = 0 } = request.socket;
    const host = headers.host ?? (request.httpVersion === '1.0' ? `${HOST}:${localPort}` : '');
    if (!isHost(host)) return refuseSyntax({ requestId, baseUrl: `http://${HOST}:${localPort}` });
    const baseUrl = `http://${host}`;
    const target = splitTarget(request.url ?? '');
    return respond({ requestId, baseUrl, receivedAtMs: now(), request, target, headers, host }, body);
  }

  async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    const responses = unanswered.get(request.socket);
    if ((responses?.size ?? 0) >= MOST_PIPELINED) {
      request.socket.destroy();
      return;
    }
    responses?.set(response, resolve);
    response.once('close', resolve);
    const work = take(turns.get(request.socket), request, response, sent);
    turns.set(request.socket, work);
    running.add(work);
    await work;
    running.delete(work);
    responses?.delete(response);
  }

  async function take(
    before: Promise<void> | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    sent: Promise<void>,
  ): Promise<void> {
    await before;
    expend(request.socket);
    const place = await serve(request, response);
    await sent;
    place?.leave();
    expend(request.socket);
  }

  function connect(socket: Duplex): void {
    const responses = new Map<ServerResponse, () => void>();
    unanswered.set(socket, responses);
    expend(socket);
    // Node tells a response that waits behind another one nothing of the end of the connection.
    socket.once('close', () => {
      expendable.delete(socket);
      for (const settle of responses.values()) settle();
    });
  }

  /** Bytes that are no HTTP, or ask for a tunnel. A function may be at work for a request before them: its answer is then the last one. */
  function refuseBytes(socket: Duplex): void {
    const open = [...(unanswered.get(socket)?.keys() ?? [])];
    const whole = open.findLast(({ req, writableFinished }) => req.complete && !writableFinished);
    if (!whole) {
      endWithSyntaxError(socket);
      return;
    }
    whole.shouldKeepAlive = false;
    // Where its head is out already, Node would keep the connection.
    whole.once('finish', () => {
      socket.end();
      linger(socket);
    });
  }

  // A client that has said everything may close its side; Node would drop the answers that are not out by then.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.timeout = 120_000; // A client that does not take its answer must not keep the gateway from closing.
  server.on('connection', connect);
  server.on('drop', makeRoom);
  server.on('request', accept);
  server.on('checkContinue', accept);
  server.on('checkExpectation', accept);
  server.on('connect', (_request, socket) => refuseBytes(socket));
  server.on('clientError', (_error, socket) => refuseBytes(socket));

  return {
    async listen(port) {
      server.listen(port, HOST);
      await once(server, 'listening');
      return addressOf(server.address()).port;
    },
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

function awaitsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port');
  return address;
}

/** Answers a connection that has no request on it, and ends it. */
function endWithSyntaxError(socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { headers, body } = refuseSyntax({ requestId: randomUUID(), baseUrl: `http://${HOST}` });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => {}); // The client may be gone already.
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${lines.join('')}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  linger(socket);
}

/** How long a client may go on sending once it was told that the connection ends, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Destroys a connection that was ended, once the client has ended it too. Were it destroyed with bytes of the client's
 * still unread, it would be reset, and the client's answer might be lost on the way.
 */
function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
  if (socket.readableEnded) socket.destroy();
  else socket.resume();
}
