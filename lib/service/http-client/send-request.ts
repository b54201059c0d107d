import type { Route } from '../../contract/routes.ts';
import { type Deadline, within } from '../deadline.ts';
import { retry } from '../retry.ts';
import { NoAnswer, type TransportRequest, type TransportResponse } from './exchange.ts';
import type { Failure } from './failure.ts';
import { failureOf, noAnswerFailure } from './read-failure.ts';
import { parseJson } from './response-body.ts';
import type { Shape } from './shapes.ts';

/** Sends a request once, with credentials if `isAuthorized`. It returns a `NoAnswer` instead of throwing it. */
export type Connection = (request: TransportRequest, isAuthorized: boolean) => Promise<TransportResponse | NoAnswer>;

/** Makes a reader of JSON bodies. The reader returns `undefined` if the body has another shape. */
export function readAs<T>(shape: Shape<T>): (response: TransportResponse) => T | undefined {
  return ({ body }) => {
    const value = parseJson(body);
    return shape(value) ? value : undefined;
  };
}

/** A request to a route of the API. */
export interface ApiRequest<T> {
  readonly route: Pick<Route, 'method' | 'path' | 'scope'>;
  /** The values for each `{name}` in the path, in their order, not yet percent-encoded. */
  readonly pathParameters?: readonly (string | number)[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** The media type to request; JSON by default. */
  readonly accept?: string;
  readonly prefer?: string | undefined;
  /** The plan that a deletion or a put must agree with. */
  readonly plan?: string | undefined;
  readonly body?: object;
  /** The idempotency key. With a key, Segue runs the request once, even if the client sends it several times. */
  readonly key?: string;
  /**
   * Whether the request is also repeated after an unknown outcome with an operation id. By default, the caller requests
   * the state of the operation instead.
   */
  readonly repeatsOpen?: true;
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
  /** Returns a random number from 0 to 1, like `Math.random`. Without it, every pause has its maximum length. */
  readonly random?: () => number;
  /** Makes the error to throw for a failure. */
  readonly errorOf: (failure: Failure) => Error;
}

/** The time limit for one attempt, in milliseconds. It is a little longer than that of API Gateway. */
const ATTEMPT_MS = 30_000;
/** The number of attempts at a request, and the pauses between them in milliseconds. */
const BACKOFF = { maxAttempts: 10, firstMs: 400, longestMs: 5_000 };

/**
 * Sends a request, and repeats it after a failure that may pass. A request with an idempotency key is also repeated
 * after an unknown outcome without an operation id: because of the key, Segue runs it only once.
 * @throws the error that `errorOf` makes
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
    const isUnknown = hasKey && outcome === 'unknown' && (operationId === undefined || request.repeatsOpen === true);
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
