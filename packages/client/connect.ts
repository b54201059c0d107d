import type { Timer } from '../../lib/service/deadline.ts';
import { NoAnswer, type TransportRequest } from '../../lib/service/http-client/exchange.ts';
import type { Connection } from '../../lib/service/http-client/send-request.ts';
import { authorizeRequests, type HttpAccount } from '../../lib/service/http-client/sign-in.ts';
import { fetchTransport } from './fetch-transport.ts';

/** The length from which a body is compressed, in characters. For shorter bodies, gzip costs more than it saves. */
const WORTH_GZIP_CHARACTERS = 1_024;

/**
 * Creates a connection to Segue with the credentials of an account.
 * @param base the base URL of Segue
 * @param now returns the time, in milliseconds since 1970
 * @param onCredentials called with the credentials of each `Authorization` header before the client sends them
 */
export function connect(
  base: URL,
  account: HttpAccount,
  now: () => number,
  onCredentials: (credentials: string) => void,
): Connection {
  const transport = fetchTransport(base);
  const send = async (_: HttpAccount, request: TransportRequest) => {
    const [, credentials] = /^\w+ (.+)$/.exec(request.headers['authorization'] ?? '') ?? [];
    if (credentials !== undefined) onCredentials(credentials);
    return transport(await compressed(request));
  };
  const sendAuthorized = authorizeRequests(send, { now, timer });
  return async (request, isAuthorized) => {
    try {
      return await (isAuthorized ? sendAuthorized : send)(account, request);
    } catch (error) {
      if (error instanceof NoAnswer) return error;
      throw error;
    }
  };
}

async function compressed(request: TransportRequest): Promise<TransportRequest> {
  const { body = '', headers } = request;
  if (typeof body !== 'string' || body.length < WORTH_GZIP_CHARACTERS) return request;
  const gzip = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(gzip).arrayBuffer());
  return { ...request, headers: { ...headers, 'content-encoding': 'gzip' }, body: bytes };
}

/** Waits for some milliseconds. If the signal ends the wait early, the promise stays pending. */
const timer: Timer = (ms, _, { signal } = {}) =>
  new Promise((resolve) => {
    const timeout = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => clearTimeout(timeout));
  });
