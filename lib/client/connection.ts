import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { asAccount } from '../upstream/as-account.ts';
import type { UpstreamAccount } from '../upstream/credentials.ts';
import { type Answer, type Exchange, httpTransport, NoAnswer } from '../upstream/transport.ts';

/** Sends a request once and gives its answer, or that there is none. */
export type Connection = (exchange: Exchange, isAuthorized: boolean) => Promise<Answer | NoAnswer>;

/** Below this many characters gzip saves less than it costs. */
const WORTH_GZIP_CHARACTERS = 1_024;

const compress = promisify(gzip);

/**
 * @param now milliseconds since 1970
 * @param onCredentials is given the credentials of each `Authorization` header before they are sent
 */
export function connect(
  base: URL,
  account: UpstreamAccount,
  now: () => number,
  onCredentials: (credentials: string) => void,
): Connection {
  const transport = httpTransport(base, now);
  const plain = async (_: UpstreamAccount, exchange: Exchange) => {
    const [, credentials] = /^\w+ (.+)$/.exec(exchange.headers['authorization'] ?? '') ?? [];
    if (credentials !== undefined) onCredentials(credentials);
    return transport(await encoded(exchange));
  };
  const authorized = asAccount(plain, { now, timer: setTimeout });
  return async (exchange, isAuthorized) => {
    try {
      return await (isAuthorized ? authorized : plain)(account, exchange);
    } catch (error) {
      if (error instanceof NoAnswer) return error;
      throw error;
    }
  };
}

async function encoded(exchange: Exchange): Promise<Exchange> {
  const { body = '', headers } = exchange;
  if (body.length < WORTH_GZIP_CHARACTERS) return exchange;
  return { ...exchange, headers: { ...headers, 'content-encoding': 'gzip' }, body: await compress(body) };
}
