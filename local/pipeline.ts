import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { BODY_LIMITS, type OperationId, ROUTES } from '../lib/contract/routes.ts';
import { type Answer, answerOf } from './answer.ts';
import { createAuthorizer, identityOf } from './authorize.ts';
import { eventOf, type Received, withAuthorizer, withBody } from './event.ts';
import { InvocationTimeout, invoke, type LambdaContext } from './invoke.ts';
import { createMatcher, type RouteEntry } from './match.ts';
import { referenceRedirect } from './reference-redirect.ts';
import { Refusal, refuse, refuseMethod } from './refusal.ts';
import type { Called } from './room.ts';
import { checkTarget } from './target.ts';
import { createThrottle, type Rate } from './throttle.ts';

export type LambdaHandler<Event> = (event: Event, context: LambdaContext) => Promise<unknown>;
export type HttpHandler = LambdaHandler<APIGatewayProxyEvent>;
export type AuthorizerHandler = LambdaHandler<APIGatewayRequestAuthorizerEvent>;

/** A function that threw, answered nonsense or ran out of time. */
export interface Failure {
  readonly functionName: string;
  readonly requestId: string;
  readonly error: unknown;
}

export interface PipelineOptions {
  readonly handlers: Readonly<Record<OperationId, HttpHandler>>;
  readonly authorizer: AuthorizerHandler;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long a policy is kept for the same credentials. */
  readonly authorizerTtlMs?: number;
  /** How long a function may take; API Gateway waits for 29 seconds. */
  readonly timeoutMs?: number;
  /** How often each company may ask; without it, as often as it likes. */
  readonly rate?: Rate | undefined;
  /** Told of each function that failed, as CloudWatch would be. */
  readonly onFailure?: (failure: Failure) => void;
}

/** Reads a body when everything before it is in order. */
export type ReadBody = (called: Called) => Promise<Buffer | null>;

/** Answers a request; never rejects. */
export type Pipeline = (received: Received, readBody: ReadBody) => Promise<Answer>;

const match = createMatcher(ROUTES);

/** What happens between a request's headers and its answer: match, authorize, build the event, call the function. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { handlers, now, timeoutMs = GATEWAY_LIMITS.timeoutMs, onFailure = () => {} } = options;
  const authorize = createAuthorizer({
    now,
    ttlMs: options.authorizerTtlMs ?? 30_000,
    call: (event) => invoke(options.authorizer, event, { functionName: 'authorizer', now, timeoutMs }),
  });

  const mayAsk = options.rate ? createThrottle({ ...options.rate, now }) : () => true;

  async function call(route: RouteEntry, event: APIGatewayProxyEvent): Promise<Answer> {
    try {
      return answerOf(await invoke(handlers[route.id], event, { functionName: route.id, now, timeoutMs }));
    } catch (cause) {
      if (cause instanceof Refusal) throw cause;
      throw new Refusal(cause instanceof InvocationTimeout ? 'INTEGRATION_TIMEOUT' : 'INTEGRATION_FAILURE', { cause });
    }
  }

  async function requireLeave(event: APIGatewayProxyEvent, identity: string): Promise<void> {
    const { principalId } = await authorize(event, identity);
    if (!mayAsk(principalId)) throw new Refusal('THROTTLED');
  }

  /** The order of checks is the contract's: route, method, credentials, target, then coding and size of the body. */
  async function handle(received: Received, readBody: ReadBody): Promise<Answer> {
    const { request, target, headers } = received;
    const found = match(target.path);
    if (!found) return referenceRedirect(received) ?? refuse('MISSING_AUTHENTICATION_TOKEN', received);
    const route = found.resource.routes.get(request.method ?? '');
    if (!route) return refuseMethod(found.resource.allow, received);
    const identity = route.scope === null ? null : identityOf(headers.authorization);
    checkTarget(target);
    const event = eventOf(received, found);
    if (identity !== null) await requireLeave(event, identity);
    const query = event.queryStringParameters ?? {};
    const isOfTask = query['taskId'] !== undefined;
    const isOfPage = query['limit'] !== undefined;
    const limits = BODY_LIMITS[route.body];
    const isAnonymous = identity === null && route.body !== 'none';
    const body = await readBody({ operation: route.id, isOfTask, isOfPage, isAnonymous, limits });
    // A body may take longer to come than credentials stay good: they are what they are when the function is called.
    const authorized = identity === null ? event : withAuthorizer(event, await authorize(event, identity));
    return call(route, withBody(authorized, body));
  }

  return async (received, readBody) => {
    try {
      return await handle(received, readBody);
    } catch (error) {
      const type = error instanceof Refusal ? error.name : 'DEFAULT_5XX';
      const { requestId } = received;
      if (FAILURES.has(type)) onFailure({ functionName: nameOf(received), requestId, error: causeOf(error) });
      return refuse(type, received);
    }
  };
}

const FAILURES: ReadonlySet<string> = new Set([
  'AUTHORIZER_CONFIGURATION_ERROR',
  'AUTHORIZER_FAILURE',
  'DEFAULT_5XX',
  'INTEGRATION_FAILURE',
  'INTEGRATION_TIMEOUT',
]);

function causeOf(error: unknown): unknown {
  return error instanceof Refusal ? (error.cause ?? error) : error;
}

function nameOf({ target, request }: Received): string {
  return match(target.path)?.resource.routes.get(request.method ?? '')?.id ?? 'gateway';
}
