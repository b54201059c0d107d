import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { keepAliveAgent } from '../service/http-client/transport.ts';

/** A request to a service of AWS, signed. */
export interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request and gives what came back, whatever its status.
 * @throws where no answer came: with the code of a connection that failed, or `ETIMEDOUT`
 */
export type Post = (posted: Posted) => Promise<{ readonly status: number; readonly body: string }>;

/** For how long a connection may take to stand, in milliseconds. */
const CONNECT_MS = 1_000;
/** For how long an idle connection is kept, in milliseconds: AWS itself keeps them longer. */
const IDLE_MS = 20_000;

/**
 * Posts over connections that are kept.
 * @param answerMs for how long an answer may take, in milliseconds
 * @param now milliseconds since 1970
 */
export function httpPost(endpoint: URL, answerMs: number, now: () => number): Post {
  const isSecure = endpoint.protocol === 'https:';
  const send = isSecure ? secureRequest : request;
  const agent = keepAliveAgent({ isSecure, idleMs: IDLE_MS, now });
  const options = { ...urlToHttpOptions(endpoint), method: 'POST', path: '/' };
  return ({ headers, body }) =>
    new Promise((resolve, reject) => {
      const length = Buffer.byteLength(body);
      const sent = send({ ...options, agent: agent(), headers: { ...headers, 'content-length': length } });
      const giveUp = () => sent.destroy(new OutOfTime());
      const connecting = setTimeout(giveUp, CONNECT_MS);
      const answering = setTimeout(giveUp, answerMs);
      sent.once('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => clearTimeout(connecting));
        else clearTimeout(connecting);
      });
      sent.once('close', () => {
        clearTimeout(connecting);
        clearTimeout(answering);
      });
      sent.once('error', reject);
      // An answer that switches protocols ends without an error.
      const ended = () => reject(new NoAnswer());
      sent.once('close', ended);
      sent.once('response', (response) => {
        sent.off('close', ended);
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
        });
      });
      sent.end(body);
    });
}

class NoAnswer extends Error {
  readonly code = 'CLOSED';

  constructor() {
    super('AWS closed the connection without an answer');
  }
}

class OutOfTime extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('AWS did not answer in time');
  }
}
