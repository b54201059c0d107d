import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { type OperationId, routeOf } from '../lib/contract/routes.ts';
import type { CompanyRate, Rate } from '../lib/credentials/rate-limit.ts';
import type { AuthorizerResult } from '../lib/http/authorizer.ts';
import type { ProxyResult } from '../lib/http/http-result.ts';
import { preferredType } from '../lib/http/negotiation.ts';
import { deadlineAt } from '../lib/service/deadline.ts';
import { type AuthorizerEvent, createAuthorizer, identityOf } from './authorizer.ts';
import { eventOf, type GatewayEvent, type ReceivedRequest, withAuthorizer, withBody } from './event.ts';
import type { MemoryRequest } from './memory.ts';
import { GatewayError, gatewayResponse, methodNotAllowedResponse, responseOf, type WireResponse } from './response.ts';
import { checkTarget, type RouteEntry, resourceAt } from './target.ts';
import { signInCredentials, WrongCredentials } from './wrong-credentials.ts';

/** The parts of an invocation's context that functions read. */
export type LambdaContext = Pick<Context, 'awsRequestId' | 'functionName' | 'getRemainingTimeInMillis'>;
type LambdaHandler<Event, Result> = (event: Event, context: LambdaContext) => Promise<Result>;
export type HttpHandler = LambdaHandler<GatewayEvent, ProxyResult>;
export type AuthorizerHandler = LambdaHandler<AuthorizerEvent, Pick<AuthorizerResult, 'principalId' | 'context'>>;

/** A function that threw, returned too much or ran out of time. */
export interface FunctionFailure {
  readonly functionName: string;
  readonly requestId: string;
  readonly error: unknown;
}

export interface PipelineOptions {
  readonly handlers: Readonly<Record<OperationId, HttpHandler>>;
  readonly authorizer: AuthorizerHandler;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long the authorizer's result is cached for the same credentials, in milliseconds; 30 seconds unless given. */
  readonly authorizerTtlMs?: number;
  /** How long a function may take, in milliseconds; 29 seconds unless given, as API Gateway waits. */
  readonly timeoutMs?: number;
  /** Counts the requests of each company; unlimited unless given. */
  readonly rate?: CompanyRate | undefined;
  /** How many wrong credentials clients may send; unlimited unless given. */
  readonly wrongCredentials?: Rate | undefined;
  /** Called for each function that failed. */
  readonly onFailure?: (failure: FunctionFailure) => void;
}

/** Reads the body of a request that may have one. */
type ReadBody = (request: Pick<MemoryRequest, 'route' | 'query'>) => Promise<Buffer | null>;

/** Answers a request; never rejects. */
type Pipeline = (received: ReceivedRequest, readBody: ReadBody) => Promise<WireResponse>;

/** Makes the way of a request from its head to its response: match, authorize, read the body, call the function. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { handlers, now, timeoutMs = GATEWAY_LIMITS.timeoutMs, rate = () => true, onFailure = () => {} } = options;
  const wrongCredentials = new WrongCredentials(options.wrongCredentials, now);
  const authorize = createAuthorizer({
    now,
    wrongCredentials,
    ttlMs: options.authorizerTtlMs ?? 30_000,
    call: (event) => invoke('authorizer', options.authorizer, event),
  });

  /** Calls a function as Lambda does. @throws {InvocationTimeout} when its time is over; else whatever the function throws */
  async function invoke<Event, Result>(
    functionName: string,
    handler: LambdaHandler<Event, Result>,
    event: Event,
  ): Promise<Result> {
    const { promise: timedOut, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new InvocationTimeout(functionName)), timeoutMs);
    const { remainingMs } = deadlineAt(now() + timeoutMs, now);
    const context = { awsRequestId: randomUUID(), functionName, getRemainingTimeInMillis: remainingMs };
    try {
      return await Promise.race([handler(event, context), timedOut]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function call({ id }: RouteEntry, event: GatewayEvent): Promise<WireResponse> {
    const result = await invoke(id, handlers[id], event).catch((cause) => {
      const isTimeout = cause instanceof InvocationTimeout;
      throw new GatewayError(isTimeout ? 'INTEGRATION_TIMEOUT' : 'INTEGRATION_FAILURE', { cause });
    });
    return responseOf(result);
  }

  /** Calls an operation that needs no authorizer. Sign-ins and refreshes check credentials by themselves. */
  async function callAnonymous(
    route: RouteEntry,
    event: GatewayEvent,
    body: Buffer | null,
    { authorization }: ReceivedRequest,
  ): Promise<WireResponse> {
    const credentials = signInCredentials(route, body, authorization);
    if (credentials) wrongCredentials.requireAllowed(credentials);
    const response = await call(route, withBody(event, body));
    if (credentials && response.status === 200) wrongCredentials.recordGood(credentials);
    if (credentials && response.status === 401) wrongCredentials.recordWrong(credentials);
    return response;
  }

  /** The order of checks is the contract's: route, method, credentials, target, then coding and size of the body. */
  async function handle(received: ReceivedRequest, readBody: ReadBody): Promise<WireResponse> {
    const { request, target, authorization } = received;
    const resource = resourceAt(target.path);
    if (!resource) return referenceRedirect(received) ?? gatewayResponse('MISSING_AUTHENTICATION_TOKEN', received);
    const route = resource.routes.get(request.method ?? '');
    if (!route) return methodNotAllowedResponse(resource.allow, received);
    const identity = route.scope === null ? undefined : identityOf(authorization);
    checkTarget(target);
    const event = eventOf(received, resource.path);
    const read = () => readBody({ route, query: event.queryStringParameters ?? {} });
    if (identity === undefined) return callAnonymous(route, event, await read(), received);

    const { principalId } = await authorize(event, identity);
    if (!(await rate(principalId))) throw new GatewayError('THROTTLED');
    const body = await read();
    // Credentials may be revoked while a body arrives: what counts is the moment of the call.
    return call(route, withBody(withAuthorizer(event, await authorize(event, identity)), body));
  }

  return async (received, readBody) => {
    try {
      return await handle(received, readBody);
    } catch (error) {
      const { name, detail, cause = error } = error instanceof GatewayError ? error : UNEXPECTED;
      const { requestId, target, request } = received;
      const response = gatewayResponse(name, received, detail);
      const functionName = resourceAt(target.path)?.routes.get(request.method ?? '')?.id ?? 'gateway';
      if (response.status >= 500) onFailure({ functionName, requestId, error: cause });
      return response;
    }
  };
}

const UNEXPECTED = new GatewayError('DEFAULT_5XX');

/** The function did not return in time. */
class InvocationTimeout extends Error {
  override readonly name = 'InvocationTimeout';
}

/** Redirects a browser that opens the bare URL to the reference page; `undefined` for every other request. */
function referenceRedirect({ request, target, requestId }: ReceivedRequest): WireResponse | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  if (target.path !== '/' || target.query) return undefined;
  if (preferredType(request.headers.accept, ['application/json', 'text/html']) !== 'text/html') return undefined;
  const headers = {
    Location: routeOf('getReference').path,
    Vary: 'Accept',
    'Content-Type': 'text/html',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
  };
  return { status: 302, headers, body: Buffer.alloc(0) };
}
