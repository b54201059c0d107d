import type { Route } from '../../lib/contract/routes.ts';
import { type Deadline, type Timer, within } from '../../lib/service/deadline.ts';
import { NoAnswer, type TransportRequest, type TransportResponse } from '../../lib/service/http-client/exchange.ts';
import { authorizeRequests, type HttpAccount } from '../../lib/service/http-client/sign-in.ts';
import { retry } from '../../lib/service/retry.ts';
import type { Failure, SegueError } from './error.ts';
import { failureOf, noAnswerFailure } from './failures.ts';
import { fetchTransport } from './fetch-transport.ts';

/** Sends a request once, with credentials if `isAuthorized`. It returns a `NoAnswer` instead of throwing it. */
export type Connection = (request: TransportRequest, isAuthorized: boolean) => Promise<TransportResponse | NoAnswer>;

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

/** A request to a route of the API. */
export interface ApiRequest<T> {
  readonly route: Pick<Route, 'method' | 'path' | 'scope'>;
  /** The values for each `{name}` in the path, in their order, not yet percent-encoded. */
  readonly pathParameters?: readonly (string | number)[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** The media type to request; JSON by default. */
  readonly accept?: string;
  readonly prefer?: string | undefined;
  /** The plan that a deletion must agree with. */
  readonly plan?: string | undefined;
  readonly body?: object;
  /** The idempotency key. With a key, Segue runs the request once, even if the client sends it several times. */
  readonly key?: string;
  /** Whether each run of the request changes something again. Then the client does not repeat a request that may have run. */
  readonly changesAgain?: true;
  /** Reads the response to a successful request. Returns `undefined` if the response cannot be read. */
  readonly read: (response: TransportResponse) => T | undefined;
}

/** The dependencies of `sendRequest`. */
export interface RequestDeps {
  readonly connection: Connection;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Waits for some milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns a random number from 0 to 1, like `Math.random`. */
  readonly random: () => number;
  /** Makes the error to throw for a failure. */
  readonly errorOf: (failure: Failure) => SegueError;
}

/** The time limit for one attempt, in milliseconds. It is a little longer than that of API Gateway. */
const ATTEMPT_MS = 30_000;
/** The number of attempts at a request, and the pauses between them in milliseconds. */
const BACKOFF = { maxAttempts: 10, firstMs: 400, longestMs: 5_000 };

/**
 * Sends a request, and repeats it after a failure that may pass. A request with an idempotency key is also repeated
 * after an unknown outcome without an operation id: because of the key, Segue runs it only once.
 * @throws {SegueError}
 */
export async function sendRequest<T extends object>(
  request: ApiRequest<T>,
  deadline: Deadline,
  { connection, errorOf, now, ...deps }: RequestDeps,
): Promise<T> {
  const hasKey = request.key !== undefined;
  const changes = hasKey || request.changesAgain === true;
  const { pause } = retry({ ...BACKOFF, ...deps, deadline });
  for (let wasUnknown = false; ; ) {
    const limit = within(ATTEMPT_MS, deadline, now);
    const response = await connection(transportRequest(request, limit), request.route.scope !== null);
    const result = responseResult(response);
    if ('value' in result) return result.value;
    const { failure } = result;
    const { outcome, operationId, retryable, retryAfterSeconds } = failure;
    // If the failure has an operation id, the caller requests the state of the operation instead.
    const isUnknown = hasKey && outcome === 'unknown' && operationId === undefined;
    const mayRepeat = retryable && !(request.changesAgain && outcome === 'unknown');
    if ((mayRepeat || isUnknown) && (await pause(retryAfterSeconds))) {
      wasUnknown ||= outcome === 'unknown';
      continue;
    }
    // An earlier attempt with an unknown outcome may have run, even if this attempt did nothing. Only a final decision
    // of Segue about the request and its key rules that out.
    throw errorOf(wasUnknown && !isJudgement(failure) ? { ...failure, outcome: 'unknown' } : failure);
  }

  function responseResult(
    response: TransportResponse | NoAnswer,
  ): { readonly value: T } | { readonly failure: Failure } {
    if (response instanceof NoAnswer) return { failure: noAnswerFailure(response, changes) };
    const value = response.status >= 200 && response.status < 300 ? request.read(response) : undefined;
    return value ? { value } : { failure: failureOf(response, changes, now()) };
  }
}

/** Whether a failure is Segue's final decision about a request and its key. Others, such as 401, end one attempt. */
function isJudgement({ type, retryable, status }: Failure): boolean {
  const isOfSegue = type !== 'unreadable-answer' && type !== 'no-answer';
  return isOfSegue && !retryable && status !== 401 && status !== 403;
}

function transportRequest(request: ApiRequest<unknown>, deadline: Deadline): TransportRequest {
  const { route, pathParameters = [], query = {}, accept = 'application/json', prefer, plan, body, key } = request;
  const values = pathParameters.values();
  const path = route.path.replace(/\{\w+\}/g, () => encodeURIComponent(values.next().value ?? ''));
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
      ...(plan !== undefined && { 'if-match': `"${plan}"` }),
    },
    body: body && JSON.stringify(body),
    deadline,
  };
}
