import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Route } from '../contract/routes.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import { authorizeRequests, type HttpAccount } from '../service/http-client/sign-in.ts';
import {
  httpTransport,
  NoAnswer,
  type TransportRequest,
  type TransportResponse,
} from '../service/http-client/transport.ts';
import { retry } from '../service/retry.ts';
import type { Failure, SegueError } from './error.ts';
import { failureOf, noAnswerFailure } from './failures.ts';

/** Sends a request once. */
export type Connection = (request: TransportRequest, isAuthorized: boolean) => Promise<TransportResponse | NoAnswer>;

/** Below this many characters gzip saves less than it costs. */
const WORTH_GZIP_CHARACTERS = 1_024;

const compress = promisify(gzip);

/**
 * Makes a connection to a Segue, with the credentials of an account.
 * @param now milliseconds since 1970
 * @param onCredentials called with the credentials of each `Authorization` header before they are sent
 */
export function connect(
  base: URL,
  account: HttpAccount,
  now: () => number,
  onCredentials: (credentials: string) => void,
): Connection {
  const transport = httpTransport(base, now);
  const send = async (_: HttpAccount, request: TransportRequest) => {
    const [, credentials] = /^\w+ (.+)$/.exec(request.headers['authorization'] ?? '') ?? [];
    if (credentials !== undefined) onCredentials(credentials);
    return transport(await compressed(request));
  };
  const sendAuthorized = authorizeRequests(send, { now, timer: setTimeout });
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
  if (body.length < WORTH_GZIP_CHARACTERS) return request;
  return { ...request, headers: { ...headers, 'content-encoding': 'gzip' }, body: await compress(body) };
}

/** A request for an operation of the API. */
export interface ApiRequest<T> {
  readonly route: Pick<Route, 'method' | 'path' | 'scope'>;
  /** Replaces the `{name}` in the path. */
  readonly pathParameter?: string | number;
  readonly query?: Readonly<Record<string, string | number | true | undefined>>;
  /** The media type of the response; JSON by default. */
  readonly accept?: string;
  readonly prefer?: string;
  readonly body?: object;
  /** The idempotency key. With it the request is carried out once, however often it is sent. */
  readonly key?: string;
  /** Reads a success; `undefined` if it cannot be read. */
  readonly read: (response: TransportResponse) => T | undefined;
}

export interface RequestDeps {
  readonly connection: Connection;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits, in milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** From 0 up to 1, like `Math.random`. */
  readonly random: () => number;
  /** The error to throw for a failure. */
  readonly errorOf: (failure: Failure) => SegueError;
}

/** The time limit for one attempt, in milliseconds: a little more than API Gateway's. */
const ATTEMPT_MS = 30_000;
const BACKOFF = { maxAttempts: 10, firstMs: 400, longestMs: 5_000 };

/**
 * Sends a request, again while that may help and does nothing twice.
 * @throws {SegueError}
 */
export async function sendRequest<T extends object>(
  request: ApiRequest<T>,
  deadline: Deadline,
  { connection, errorOf, now, ...deps }: RequestDeps,
): Promise<T> {
  const hasKey = request.key !== undefined;
  const { pause } = retry({ ...BACKOFF, ...deps, deadline });
  for (let wasUnknown = false; ; ) {
    const limit = deadlineAt(now() + Math.min(deadline.remainingMs(), ATTEMPT_MS), now);
    const response = await connection(transportRequest(request, limit), request.route.scope !== null);
    const result = responseResult(response);
    if ('value' in result) return result.value;
    const { failure } = result;
    const { outcome, operationId, retryable, retryAfterSeconds } = failure;
    // If there is an operation to ask for, ask for it instead.
    const isUnknown = hasKey && outcome === 'unknown' && operationId === undefined;
    if ((retryable || isUnknown) && (await pause(retryAfterSeconds))) {
      wasUnknown ||= outcome === 'unknown';
      continue;
    }
    // That this attempt did nothing says nothing about earlier ones, unless Segue has judged the request and its key.
    throw errorOf(wasUnknown && !isJudgement(failure) ? { ...failure, outcome: 'unknown' } : failure);
  }

  function responseResult(
    response: TransportResponse | NoAnswer,
  ): { readonly value: T } | { readonly failure: Failure } {
    if (response instanceof NoAnswer) return { failure: noAnswerFailure(response, hasKey) };
    const value = response.status >= 200 && response.status < 300 ? request.read(response) : undefined;
    return value ? { value } : { failure: failureOf(response, hasKey, now()) };
  }
}

/** Whether a failure is Segue's judgement of the request and its key, not of the attempt. */
function isJudgement({ type, retryable, status }: Failure): boolean {
  const isOfSegue = type !== 'unreadable-answer' && type !== 'no-answer';
  return isOfSegue && !retryable && status !== 401 && status !== 403;
}

function transportRequest(request: ApiRequest<unknown>, deadline: Deadline): TransportRequest {
  const { route, pathParameter = '', query = {}, accept = 'application/json', prefer, body, key } = request;
  const path = route.path.replace(/\{\w+\}/, () => encodeURIComponent(pathParameter));
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return {
    method: route.method,
    path: parameters.length === 0 ? path : `${path}?${parameters.join('&')}`,
    headers: {
      accept,
      'accept-encoding': 'gzip',
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(prefer !== undefined && { prefer }),
    },
    body: body && JSON.stringify(body),
    deadline,
  };
}
