import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
} from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { writeBaseUrl } from '../../contract/base-url.ts';
import type { Deadline } from '../deadline.ts';
import { type ResponseBody, readBody } from './response-body.ts';

/** One HTTP request to a server. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path after the base URL: starts with a slash, percent-encoded, sent as it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly deadline: Deadline;
  /** Whether to open a new connection; by default for every method but GET. */
  readonly needsNewConnection?: boolean | undefined;
}

/** The response to a `TransportRequest`. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: ResponseBody;
}

/**
 * Sends a request once and returns the response, whatever its status. It follows no redirects.
 * @throws {NoAnswer}
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The `code` of a `NoAnswer` whose request reached its deadline. */
export const OUT_OF_TIME = 'DEADLINE';
/** The code of a request that got no connection in time. */
export const NO_CONNECTION = 'CONNECT_TIMEOUT';

/** A request ended without a response. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether the server may have received a part of the request. */
  readonly sent: boolean;
  /** Node's error code, such as `ECONNREFUSED`. Node's message is left out, because it may quote received bytes. */
  readonly code: string;
  /** How long the circuit breaker still holds requests back, if it held this one back. */
  readonly retryAfterSeconds: number | undefined;

  constructor(sent: boolean, code: string, retryAfterSeconds?: number) {
    super(`No answer: ${code}`);
    this.sent = sent;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface TransportOptions {
  /** The time limit for opening a connection, in milliseconds. Nothing is sent before it is open. Default: 5,000. */
  readonly connectMs?: number;
  /** How long an idle connection is kept, in milliseconds. Default: 4,000, less than the 5 seconds of many servers. */
  readonly idleMs?: number;
}

/**
 * Sends requests to one server over HTTP/1.1.
 *
 * Requests that change something, and reads that must prove an absence, get a new connection. A server may close a kept
 * connection just as a request is written, and then nobody knows whether it was carried out. A kept connection may also
 * still hold a second response to an earlier request.
 * @param base the base URL; its path goes before every path
 * @param now milliseconds since 1970
 */
export function httpTransport(
  base: URL,
  now: () => number,
  { connectMs = 5_000, idleMs = 4_000 }: TransportOptions = {},
): Transport {
  const isSecure = base.protocol === 'https:';
  const send = isSecure ? requestSecure : requestPlain;
  const newConnections = isSecure ? new SecureAgent() : new Agent();
  const keptConnections = keepAliveAgent(isSecure, idleMs, now);
  const server = urlToHttpOptions(base);
  const prefix = writeBaseUrl(base).slice(base.origin.length);

  return async ({ method, path, headers, body, deadline, needsNewConnection = method !== 'GET' }) => {
    const remainingMs = deadline.remainingMs();
    if (remainingMs <= 0) throw new NoAnswer(false, OUT_OF_TIME);
    const request = send({
      ...server,
      agent: needsNewConnection ? newConnections : keptConnections(),
      method,
      path: prefix + path,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    });
    const timeout = setTimeout(() => request.destroy(timeoutError(OUT_OF_TIME)), remainingMs);
    try {
      const response = await responseTo(request, { isSecure, connectMs, body });
      return { status: response.statusCode ?? 0, headers: response.headers, body: await readBody(response) };
    } finally {
      clearTimeout(timeout);
    }
  };
}

const timeoutError = (code: string) => Object.assign(new Error(code), { code });

function responseTo(
  request: ClientRequest,
  { isSecure, connectMs, body }: Pick<TransportRequest, 'body'> & { isSecure: boolean; connectMs: number },
): Promise<IncomingMessage> {
  // Node sends no bytes before the connection is open, and with TLS before the server has proved its identity.
  let sent = false;
  const connecting = setTimeout(() => request.destroy(timeoutError(NO_CONNECTION)), connectMs);
  const connected = () => {
    sent = true;
    clearTimeout(connecting);
  };
  request.once('socket', (socket) => {
    if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', connected);
    else connected();
  });
  request.once('close', () => clearTimeout(connecting));
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // After a response this rejects nothing: a server may close the connection before it has read the whole request.
    request.on('error', (error) => reject(new NoAnswer(sent, codeOf(error))));
    // A response that switches protocols ends without an error.
    request.once('close', () => reject(new NoAnswer(sent, 'CLOSED')));
    request.end(body);
  });
}

function codeOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'UNKNOWN';
}

/**
 * Returns the agent to send a request with, which keeps connections alive. Lambda freezes timers between invocations, so
 * idle connections outlive their timeout: after such a pause it is a new agent, without connections.
 * @param idleMs how long an idle connection is kept, in milliseconds: less than the server keeps it
 * @param now milliseconds since 1970
 */
export function keepAliveAgent(isSecure: boolean, idleMs: number, now: () => number): () => Agent {
  const AgentOf = isSecure ? SecureAgent : Agent;
  const newAgent = () => new AgentOf({ keepAlive: true, timeout: idleMs });
  let agent = newAgent();
  let usedAtMs = now();
  return () => {
    const idledMs = now() - usedAtMs;
    // If the clock was set back, the idle time is unknown.
    if (idledMs < 0 || idledMs > idleMs) agent = newAgent();
    usedAtMs = now();
    return agent;
  };
}
