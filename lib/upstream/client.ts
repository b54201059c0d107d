import { setTimeout } from 'node:timers/promises';
import { Problem } from '../contract/problem.ts';
import { type CachedSecret, cachedSecret, type ReadSecret } from '../credentials/cached-secret.ts';
import { deadlineAt, type Timer } from '../service/deadline.ts';
import { NoAnswer, type Transport, type TransportResponse } from '../service/http-client/exchange.ts';
import { httpTransport } from '../service/http-client/transport.ts';
import type { CallContext } from '../service/port.ts';
import { retry, retryAfterSeconds } from '../service/retry.ts';
import {
  accountOf,
  authorizeCompanies,
  readUpstreamCredentials,
  type SendForCompany,
  type UpstreamSecret,
} from './accounts.ts';
import { circuitBreaker, HELD_BACK } from './circuit-breaker.ts';
import { changesSomething, type UpstreamOperation, type UpstreamRequest } from './requests.ts';
import { busy, failedResponse, noResponse, type UpstreamAnswer } from './upstream-answer.ts';

/** Sends a request to the upstream service. Retries it only if the request cannot take effect twice. */
export type Client = (request: UpstreamRequest, call: CallContext) => Promise<UpstreamAnswer<TransportResponse>>;

export interface ClientOptions {
  readonly transport: Transport;
  readonly credentials: CachedSecret<UpstreamSecret>;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Waits for a number of milliseconds. Default: with a timer. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** The timer of time limits. Default: a real timer. */
  readonly timer?: Timer | undefined;
  /** Returns a random number from 0 up to 1, which varies the pauses. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Creates a client. Create one per process and base URL, so that all requests share its circuit breakers and tokens.
 */
export function upstreamClient(options: ClientOptions): Client {
  const { transport, credentials, now, timer = setTimeout } = options;
  const send = authorizeCompanies(circuitBreaker(transport, now), credentials, { now, timer });
  return async (request, call) => {
    const { operation } = request;
    try {
      const result = await sendWithRetries(send, request, call, options);
      if (result instanceof NoAnswer) return noResponse(result, operation);
      if (!operation.success.includes(result.status)) return failedResponse(result, request, now());
      return { kind: 'ok', ...result };
    } catch (error) {
      if (error instanceof Problem) return busy(error.message, { cause: error });
      throw error;
    }
  };
}

/** The maximum number of attempts at a request. */
const MAX_ATTEMPTS = 3;
const BACKOFF = { firstMs: 200, longestMs: 400 };

/**
 * Sends a request, with retries. A pause, or an attempt at a read, takes at most half of the remaining time. So time is
 * left for the next steps.
 * @throws {Problem} `unavailable` if the credentials cannot be read
 */
async function sendWithRetries(
  send: SendForCompany,
  request: UpstreamRequest,
  call: CallContext,
  { now, sleep = setTimeout, random = Math.random }: Omit<ClientOptions, 'transport' | 'credentials'>,
): Promise<TransportResponse | NoAnswer> {
  const half = { remainingMs: () => call.deadline.remainingMs() / 2 };
  const { pause } = retry({ ...BACKOFF, maxAttempts: MAX_ATTEMPTS, deadline: half, sleep, random });
  for (;;) {
    const limited = changesSomething(request.operation)
      ? call
      : { ...call, deadline: deadlineAt(now() + Math.floor(half.remainingMs()), now) };
    const result = await send(request, limited).catch((error: unknown) => {
      if (error instanceof NoAnswer) return error;
      throw error;
    });
    const waitSeconds = retryableAfterSeconds(result, request.operation, now());
    if (waitSeconds === undefined || !(await pause(waitSeconds))) return result;
  }
}

/** Returns after how many seconds a request may be sent again, or `undefined` if it must not be sent again. */
function retryableAfterSeconds(
  result: TransportResponse | NoAnswer,
  operation: UpstreamOperation,
  nowMs: number,
): number | undefined {
  const isRead = !changesSomething(operation);
  if (result instanceof NoAnswer) {
    const mayBeDone = result.sent && !isRead;
    return mayBeDone || result.code === HELD_BACK ? undefined : (result.retryAfterSeconds ?? 0);
  }
  const { status, headers, body } = result;
  if (status === 429 || status === 503) return retryAfterSeconds(headers['retry-after'], nowMs) ?? 0;
  return isRead && (status === 408 || status >= 500 || body === 'lost') ? 0 : undefined;
}

export interface ConnectOptions {
  /** The base URL of the upstream service. */
  readonly url: URL;
  /** Reads the secret with the upstream credentials. */
  readonly readSecret: ReadSecret;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Called if old credentials are used because a read failed: with their age in milliseconds, and the error. */
  readonly onStale?: (ageMs: number, cause: unknown) => void;
}

export interface UpstreamConnection {
  readonly client: Client;
  /** Returns whether a company has its own upstream account. */
  readonly isOwnAccount: (companyId: string) => Promise<boolean>;
  /** Reads the credentials ahead of the first request. */
  readonly warmUp: () => Promise<unknown>;
}

/**
 * Creates the connection to the upstream service. Create one per process, so that all requests share its sockets and
 * circuit breakers.
 */
export function connectUpstream({ url, readSecret, now, onStale }: ConnectOptions): UpstreamConnection {
  const credentials = cachedSecret(readSecret, readUpstreamCredentials, { now, ...(onStale && { onStale }) });
  return {
    client: upstreamClient({ transport: httpTransport(url, now), credentials, now }),
    isOwnAccount: async (companyId) => accountOf(await credentials.read(), companyId).isOwn,
    warmUp: () => credentials.read(),
  };
}
