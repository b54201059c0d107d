import { cachedSecret, type ReadSecret } from '../credentials/cached-secret.ts';
import { httpTransport } from '../service/http-client/transport.ts';
import { accountOf, readUpstreamCredentials } from './authorization.ts';
import { type Client, upstreamClient } from './client.ts';

export interface ConnectOptions {
  /** The base URL of the service. */
  readonly url: URL;
  /** Reads the secret with the credentials at the service. */
  readonly readSecret: ReadSecret;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with the age in milliseconds of credentials that are used although a read failed. */
  readonly onStale?: (ageMs: number, cause: unknown) => void;
}

export interface UpstreamConnection {
  readonly client: Client;
  /** Whether the company has an account of its own at the service. */
  readonly isOwnAccount: (companyId: string) => Promise<boolean>;
  /** Reads the credentials ahead of the first request. */
  readonly warmUp: () => Promise<unknown>;
}

/** Connects to the service at a base URL. Make one connection for each process: requests share its sockets and breaker. */
export function connectUpstream({ url, readSecret, now, onStale }: ConnectOptions): UpstreamConnection {
  const credentials = cachedSecret(readSecret, readUpstreamCredentials, { now, ...(onStale && { onStale }) });
  return {
    client: upstreamClient({ transport: httpTransport(url, now), credentials, now }),
    isOwnAccount: async (companyId) => accountOf(await credentials.read(), companyId).isOwn,
    warmUp: () => credentials.read(),
  };
}
