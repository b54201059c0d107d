import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { writeBaseUrl } from '../contract/base-url.ts';
import type { Deadline } from '../service/deadline.ts';
import { type AnswerBody, readBody } from './body.ts';
import { openConnections } from './connections.ts';

/** One request to the service. */
export interface Exchange {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Behind the base URL: begins with a slash, percent-encoded. It goes out as it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly deadline: Deadline;
  /** Whether it needs a connection of its own, as everything does that changes something. */
  readonly isAlone?: boolean | undefined;
}

/** What came back: at least a status and headers. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AnswerBody;
}

/**
 * Sends one request once and gives its answer, whatever its status. No redirect is followed.
 * @throws {NoAnswer}
 */
export type Transport = (exchange: Exchange) => Promise<Answer>;

/** The code of a request that its deadline ended. */
export const OUT_OF_TIME = 'DEADLINE';
/** The code of a request for which no connection came about in time. */
const NO_CONNECTION = 'CONNECT_TIMEOUT';

/** There was no answer at all. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** `false` where not one byte of the request can have left this machine. */
  readonly sent: boolean;
  /** Node's code of the failure, such as `ECONNREFUSED`; its message and other fields may quote what was received. */
  readonly code: string;
  /** For a request that was held back: for how long others will be. */
  readonly retryAfterSeconds: number | undefined;

  constructor(sent: boolean, code: string, retryAfterSeconds?: number) {
    super(`No answer: ${code}`);
    this.sent = sent;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** For how long a server may take to accept a connection, in milliseconds: until then nothing was sent. */
const CONNECT_MS = 5_000;

/**
 * Exchanges over HTTP/1.1 with one server.
 * @param base the base URL, whose path stands before every path
 * @param now milliseconds since 1970
 */
export function httpTransport(base: URL, now: () => number): Transport {
  const secure = base.protocol === 'https:';
  const send = secure ? requestSecure : requestPlain;
  const connections = openConnections(secure, now);
  const server = urlToHttpOptions(base);
  const prefix = writeBaseUrl(base).slice(base.origin.length);

  return async ({ method, path, headers, body, deadline, isAlone = method !== 'GET' }) => {
    const remainingMs = deadline.remainingMs();
    if (remainingMs <= 0) throw new NoAnswer(false, OUT_OF_TIME);
    const request = send({
      ...server,
      agent: isAlone ? connections.fresh() : connections.kept(),
      method,
      path: prefix + path,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    });
    const over = setTimeout(() => request.destroy(new TimeOver(OUT_OF_TIME)), remainingMs);
    try {
      const response = await answerTo(request, secure, body);
      return { status: response.statusCode ?? 0, headers: response.headers, body: await readBody(response) };
    } finally {
      clearTimeout(over);
    }
  };
}

class TimeOver extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

function answerTo(request: ClientRequest, secure: boolean, body: Exchange['body']): Promise<IncomingMessage> {
  // Bytes wait in this process until the connection stands, and with TLS until the server has proved who it is.
  let sent = false;
  const connecting = setTimeout(() => request.destroy(new TimeOver(NO_CONNECTION)), CONNECT_MS);
  const connected = () => {
    sent = true;
    clearTimeout(connecting);
  };
  request.once('socket', (socket) => {
    if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', connected);
    else connected();
  });
  request.once('close', () => clearTimeout(connecting));
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // A server may hang up on the rest of a request that it has answered: by then nobody listens to the rejection.
    request.on('error', (error) => reject(new NoAnswer(sent, codeOf(error))));
    // An answer that switches protocols ends without an error.
    request.once('close', () => reject(new NoAnswer(sent, 'CLOSED')));
    request.end(body);
  });
}

function codeOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'UNKNOWN';
}
