import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import type { AdministrationId } from '../lib/contract/administration.ts';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { methodNotAllowed } from '../lib/contract/problem.ts';
import type { Rate } from '../lib/contract/settings.ts';
import type { CompanyRate } from '../lib/credentials/rate-limit.ts';
import type { ProxyResult } from '../lib/http/http-result.ts';
import { preferredType } from '../lib/http/negotiation.ts';
import { getReferenceRoute } from '../lib/operations/get-reference.ts';
import { deadlineAt } from '../lib/service/deadline.ts';
import { shareTurns } from '../lib/service/turn.ts';
import { type AuthorizerEvent, createAuthorizer, identityOf, type LocalAuthorizerResult } from './authorizer.ts';
import { eventOf, type GatewayEvent, type ReceivedRequest, withAuthorizer, withBody } from './event.ts';
import type { MemoryRequest } from './memory.ts';
import {
  badSyntaxResult,
  GatewayError,
  gatewayResult,
  passedOn,
  problemResult,
  type WireResponse,
  wireResponse,
} from './response.ts';
import { checkTarget, type PUBLIC_ROUTES, type RouteEntry, resourceAt } from './target.ts';
import { isFromThisMachine } from './this-machine.ts';
import { signInCredentials, WrongCredentials } from './wrong-credentials.ts';

/** The fields of an invocation's context that the functions read. */
export type LambdaContext = Pick<Context, 'awsRequestId' | 'functionName' | 'getRemainingTimeInMillis'>;
type LambdaHandler<Event, Result> = (event: Event, context: LambdaContext) => Promise<Result>;
export type HttpHandler = LambdaHandler<GatewayEvent, ProxyResult>;
export type AuthorizerHandler = LambdaHandler<AuthorizerEvent, LocalAuthorizerResult>;

/** The failure of a Lambda function (it threw, returned too much, or ran out of time) or of the gateway itself. */
export interface FunctionFailure {
  readonly functionName: string;
  readonly requestId: string;
  readonly error: unknown;
}

export interface PipelineOptions {
  readonly handlers: Readonly<Record<(typeof PUBLIC_ROUTES)[number]['id'], HttpHandler>>;
  /** The operations of the administration API, which only requests from this machine reach. Default: none. */
  readonly administration?: Readonly<Record<AdministrationId, HttpHandler>> | undefined;
  readonly authorizer: AuthorizerHandler;
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  /** How long the authorizer's result is cached for the same credentials, in milliseconds. Default: 30 seconds. */
  readonly authorizerTtlMs?: number;
  /** How long a function may run, in milliseconds. Default: 29 seconds, as long as API Gateway waits. */
  readonly timeoutMs?: number;
  /** Counts the requests of each company, and refuses those above its rate. Default: no limit. */
  readonly rate?: CompanyRate | undefined;
  /** The limit on wrong credentials, for all clients together. Default: no limit. */
  readonly wrongCredentials?: Rate | undefined;
  /** Receives the failure of each function that failed. */
  readonly onFailure?: (failure: FunctionFailure) => void;
}

/** Waits for memory, and reads the body of a request. */
type ReadBody = (request: Omit<MemoryRequest, 'request'>) => Promise<Buffer | null>;

/** Answers a request. The returned promise never rejects. */
type Pipeline = (received: ReceivedRequest, readBody: ReadBody) => Promise<WireResponse>;

/**
 * Creates a pipeline, which answers requests. It finds the route, authorizes the request, reads the body and calls the
 * Lambda function of the route.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const {
    administration,
    now,
    timeoutMs = GATEWAY_LIMITS.timeoutMs,
    rate = () => true,
    onFailure = () => {},
  } = options;
  const handlers = new Map(Object.entries({ ...options.handlers, ...administration }));
  const wrongCredentials = new WrongCredentials(options.wrongCredentials, now);
  const authorize = createAuthorizer({
    now,
    wrongCredentials,
    ttlMs: options.authorizerTtlMs ?? 30_000,
    call: (event) => invoke('authorizer', options.authorizer, event),
  });

  /**
   * Calls a function as Lambda does.
   * @throws {InvocationTimeout} if the function takes too long; otherwise whatever the function throws
   */
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

  /** Finds the resource for a request. From another machine, the administration API looks as if it did not exist. */
  function resourceOf(received: ReceivedRequest) {
    const resource = resourceAt(received.target.path);
    const isHidden = resource?.isAdministration && !(administration && isFromThisMachine(received));
    return isHidden ? undefined : resource;
  }

  async function call({ id }: RouteEntry, event: GatewayEvent): Promise<ProxyResult> {
    const handler = handlers.get(id);
    if (!handler) throw new RangeError(`The operation ${id} has no function`);
    const result = await invoke(id, handler, event).catch((cause) => {
      const isTimeout = cause instanceof InvocationTimeout;
      throw new GatewayError(isTimeout ? 'INTEGRATION_TIMEOUT' : 'INTEGRATION_FAILURE', { cause });
    });
    return passedOn(result);
  }

  /**
   * Calls the function of an operation without an authorizer. The operations for sign-in and refresh check credentials
   * themselves.
   */
  async function callAnonymous(
    route: RouteEntry,
    event: GatewayEvent,
    body: Buffer | null,
    { authorization }: ReceivedRequest,
  ): Promise<ProxyResult> {
    const credentials = signInCredentials(route, body, authorization);
    if (credentials) wrongCredentials.requireAllowed(credentials);
    const result = await call(route, withBody(event, body));
    if (credentials && result.statusCode === 200) wrongCredentials.recordGood(credentials);
    if (credentials && result.statusCode === 401) wrongCredentials.recordWrong(credentials);
    return result;
  }

  /**
   * Answers a request to an operation. The checks run in the contract's order: credentials, target, then coding and
   * size of the body.
   */
  async function handle(
    route: RouteEntry,
    path: string,
    received: ReceivedRequest,
    readBody: ReadBody,
  ): Promise<ProxyResult> {
    const identity = route.scope === null ? undefined : identityOf(received.authorization);
    checkTarget(received.target);
    const event = eventOf(received, path);
    const query = event.queryStringParameters ?? {};
    if (identity === undefined) return callAnonymous(route, event, await readBody({ route, query }), received);

    const { principalId } = await authorize(event, identity);
    if (!(await rate(principalId))) throw new GatewayError('THROTTLED');
    return shareTurns(principalId, async () => {
      const body = await readBody({ route, query, companyId: principalId });
      // Credentials may be revoked while a body arrives, so they are checked again at the moment of the call.
      return call(route, withBody(withAuthorizer(event, await authorize(event, identity)), body));
    });
  }

  async function answer(received: ReceivedRequest, readBody: ReadBody): Promise<ProxyResult> {
    const resource = resourceOf(received);
    const route = resource?.routes.get(received.request.method ?? '');
    try {
      if (received.host === undefined) return badSyntaxResult(received);
      if (!resource) return referenceRedirect(received) ?? gatewayResult('MISSING_AUTHENTICATION_TOKEN', received);
      if (!route) return problemResult('method-not-allowed', methodNotAllowed(resource.allow), received);
      return await handle(route, resource.path, received, readBody);
    } catch (error) {
      const { name, detail, cause = error } = error instanceof GatewayError ? error : UNEXPECTED;
      const result = gatewayResult(name, received, detail);
      const { requestId } = received;
      if (result.statusCode >= 500) onFailure({ functionName: route?.id ?? 'gateway', requestId, error: cause });
      return result;
    }
  }

  return async (received, readBody) => wireResponse(await answer(received, readBody));
}

const UNEXPECTED = new GatewayError('DEFAULT_5XX');

/** The error for a function that did not return in time. */
class InvocationTimeout extends Error {
  override readonly name = 'InvocationTimeout';
}

/** Redirects a browser from `/` to the reference page. @returns `undefined` for every other request */
function referenceRedirect({ request, target, requestId }: ReceivedRequest): ProxyResult | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  if (target.path !== '/' || target.query) return undefined;
  if (preferredType(request.headers.accept, ['application/json', 'text/html']) !== 'text/html') return undefined;
  const headers = {
    Location: getReferenceRoute.path,
    Vary: 'Accept',
    'Content-Type': 'text/html',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
  };
  return { statusCode: 302, headers, body: '', isBase64Encoded: false };
}
