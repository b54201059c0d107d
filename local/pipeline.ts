import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { type OperationId, ROUTES, routeOf } from '../lib/contract/routes.ts';
import type { CompanyRate, Rate } from '../lib/credentials/rate-limit.ts';
import { preferredType } from '../lib/http/negotiation.ts';
import { deadlineAt } from '../lib/service/deadline.ts';
import { createAuthorizer, identityOf } from './authorizer.ts';
import { eventOf, type ReceivedRequest, withAuthorizer, withBody } from './event.ts';
import type { MemoryRequest } from './memory.ts';
import { GatewayError, gatewayResponse, methodNotAllowedResponse, responseOf, type WireResponse } from './response.ts';
import { checkTarget, createMatcher, type RouteEntry } from './target.ts';
import { credentialsInRequest, WrongCredentials } from './wrong-credentials.ts';

/** The context of an invocation; Lambda has no callbacks since Node 24. */
export type LambdaContext = Omit<Context, 'done' | 'fail' | 'succeed'>;
export type LambdaHandler<Event> = (event: Event, context: LambdaContext) => Promise<unknown>;

export type HttpHandler = LambdaHandler<APIGatewayProxyEvent>;
export type AuthorizerHandler = LambdaHandler<APIGatewayRequestAuthorizerEvent>;

/** A function that threw, returned a malformed result or ran out of time. */
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
  /** How many wrong credentials each address may send; unlimited unless given. */
  readonly wrongCredentials?: Rate | undefined;
  /** Called for each function that failed. */
  readonly onFailure?: (failure: FunctionFailure) => void;
}

/** Reads the body of a request that may have one. */
export type ReadBody = (request: Pick<MemoryRequest, 'route' | 'query'>) => Promise<Buffer | null>;

/** Answers a request; never rejects. */
export type Pipeline = (received: ReceivedRequest, readBody: ReadBody) => Promise<WireResponse>;

const match = createMatcher(ROUTES);

/** Makes the way of a request from its head to its response: match, authorize, read the body, call the function. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { handlers, now, timeoutMs = GATEWAY_LIMITS.timeoutMs, rate = () => true, onFailure = () => {} } = options;
  const wrongCredentials = new WrongCredentials({ rate: options.wrongCredentials, now });
  const authorize = createAuthorizer({
    now,
    wrongCredentials,
    ttlMs: options.authorizerTtlMs ?? 30_000,
    call: (event) => invoke(options.authorizer, event, { functionName: 'authorizer', now, timeoutMs }),
  });

  async function call(route: RouteEntry, event: APIGatewayProxyEvent): Promise<WireResponse> {
    try {
      return responseOf(await invoke(handlers[route.id], event, { functionName: route.id, now, timeoutMs }));
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      const name = cause instanceof InvocationTimeout ? 'INTEGRATION_TIMEOUT' : 'INTEGRATION_FAILURE';
      throw new GatewayError(name, { cause });
    }
  }

  /** Calls an operation that needs no authorizer. Sign-ins and refreshes check credentials by themselves. */
  async function callAnonymous(route: RouteEntry, event: APIGatewayProxyEvent, authorization: readonly string[]) {
    const credentials = credentialsInRequest(route.body, event, authorization);
    if (!credentials) return call(route, event);
    const address = event.requestContext.identity.sourceIp;
    wrongCredentials.requireAllowed(credentials, address);
    const response = await call(route, event);
    if (response.status === 200) wrongCredentials.recordGood(credentials);
    if (response.status === 401) wrongCredentials.recordWrong(credentials, address);
    return response;
  }

  /** The order of checks is the contract's: route, method, credentials, target, then coding and size of the body. */
  async function handle(received: ReceivedRequest, readBody: ReadBody): Promise<WireResponse> {
    const { request, target, headers } = received;
    const found = match(target.path);
    if (!found) return referenceRedirect(received) ?? gatewayResponse('MISSING_AUTHENTICATION_TOKEN', received);
    const route = found.resource.routes.get(request.method ?? '');
    if (!route) return methodNotAllowedResponse(found.resource.allow, received);
    const identity = route.scope === null ? undefined : identityOf(headers.authorization);
    checkTarget(target);
    const event = eventOf(received, found);
    const read = () => readBody({ route, query: event.queryStringParameters ?? {} });
    if (identity === undefined) return callAnonymous(route, withBody(event, await read()), headers.authorization);

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
      const { name, detail, cause } = error instanceof GatewayError ? error : UNEXPECTED;
      const { requestId } = received;
      if (FAILURES.has(name)) onFailure({ functionName: functionNameOf(received), requestId, error: cause ?? error });
      return gatewayResponse(name, received, detail);
    }
  };
}

const UNEXPECTED = new GatewayError('DEFAULT_5XX');

const FAILURES: ReadonlySet<string> = new Set([
  'AUTHORIZER_CONFIGURATION_ERROR',
  'AUTHORIZER_FAILURE',
  'DEFAULT_5XX',
  'INTEGRATION_FAILURE',
  'INTEGRATION_TIMEOUT',
]);

function functionNameOf({ target, request }: ReceivedRequest): string {
  return match(target.path)?.resource.routes.get(request.method ?? '')?.id ?? 'gateway';
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

interface Invocation {
  readonly functionName: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timeoutMs: number;
}

/** The function did not return in time. */
class InvocationTimeout extends Error {
  override readonly name = 'InvocationTimeout';
}

/**
 * Calls a function as Lambda does.
 * @throws {InvocationTimeout} when its time is over; else whatever the function throws
 */
async function invoke<Event>(
  handler: LambdaHandler<Event>,
  event: Event,
  { functionName, now, timeoutMs }: Invocation,
): Promise<unknown> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new InvocationTimeout(functionName)), timeoutMs);
  const deadline = deadlineAt(now() + timeoutMs, now);
  const context: LambdaContext = {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: '1024',
    getRemainingTimeInMillis: () => deadline.remainingMs(),
  };
  try {
    return await Promise.race([handler(event, context), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
