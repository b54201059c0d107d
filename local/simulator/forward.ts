import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Reply, Service } from './exchange.ts';

/** These are of one connection, and say nothing on the next. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect', 'content-length']);

/** Headers that may go on to another connection. */
export function passedOn<Values extends object>(headers: Values): Partial<Values> {
  const kept: Partial<Values> = { ...headers };
  for (const name of Object.keys(headers)) if (OF_THE_CONNECTION.has(name)) Reflect.deleteProperty(kept, name);
  return kept;
}

/** What is answered where the service itself cannot be reached, which is only while it ends. */
const GONE: Reply = { status: 503, headers: {}, body: new Uint8Array() };

/** The service at a port of this machine. Bodies stay encoded as they come. */
export function serviceAt(port: number): Service {
  const agent = new Agent({ keepAlive: true });
  return ({ method, path, headers, body }) =>
    new Promise((resolve) => {
      const outgoing = request({
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...passedOn(headers), ...(body && { 'content-length': body.length }) },
      });
      outgoing.once('error', () => resolve(GONE));
      outgoing.once('response', (response) => {
        const { statusCode = 0, headers: received } = response;
        buffer(response).then(
          (bytes) => resolve({ status: statusCode, headers: passedOn(received), body: bytes }),
          () => resolve(GONE),
        );
      });
      outgoing.end(body);
    });
}
