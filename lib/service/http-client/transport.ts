import { Agent, type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { writeBaseUrl } from '../../contract/base-url.ts';
import { codeOf, NO_CONNECTION, NoAnswer, OUT_OF_TIME, type Transport, type TransportRequest } from './exchange.ts';
import { readBody } from './read-body.ts';

/** The time limits of `httpTransport`. */
interface TransportOptions {
  /** The time limit for opening a connection, in milliseconds; 5,000 by default. */
  readonly connectMs?: number;
  /**
   * How long an idle connection is kept, in milliseconds; 4,000 by default. Many servers close an idle connection after
   * 5 seconds.
   */
  readonly idleMs?: number;
}

/**
 * Makes a transport that sends requests to one server over HTTP/1.1.
 *
 * Requests that change something get a new connection. A server may close an open connection just as a request is
 * written, and then nobody knows whether the server carried out the request. Reads that must prove that a project does
 * not exist also get a new connection. On an open one, a second response to an earlier request could be taken for the
 * response to the read.
 * @param base the base URL; if it has a path, the path of each request is appended to it
 * @param now returns the current time, in milliseconds since 1970
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

  return async ({ method, path, headers, body, deadline, needsNewConnection = method !== 'GET', ...limits }) => {
    const remainingMs = deadline.remainingMs();
    if (remainingMs <= 0) throw new NoAnswer(false, OUT_OF_TIME);
    const request = send({
      ...server,
      agent: needsNewConnection ? newConnections : keptConnections(),
      method,
      path: prefix + path,
      signal: limits.signal,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    });
    const timeout = setTimeout(() => request.destroy(timeoutError(OUT_OF_TIME)), remainingMs);
    try {
      const response = await responseTo(request, { isSecure, connectMs, body });
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: await readBody(response, limits.maxBodyBytes),
      };
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
    // A server may respond and then close the connection before it has read the whole request. After the response, this
    // reject has no effect.
    request.on('error', (error) => reject(new NoAnswer(sent, codeOf(error))));
    // If the server switches protocols, there is neither a response nor an error.
    request.once('close', () => reject(new NoAnswer(sent, 'CLOSED')));
    request.end(body);
  });
}

/**
 * Makes a function that returns the agent for the next request. The agent keeps connections open. Lambda freezes timers
 * between invocations, so an idle connection can outlive its timeout. So if the last request is more than `idleMs` ago,
 * the next one gets a new agent, which has no connections.
 * @param idleMs how long an idle connection is kept, in milliseconds; must be less than the idle timeout of the server
 * @param now returns the current time, in milliseconds since 1970
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
