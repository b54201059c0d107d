import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { BODY_LIMITS, type OperationId, ROUTES } from '../lib/contract/routes.ts';
import type { CompanyRate, Rate } from '../lib/credentials/rate-limit.ts';
import { type Answer, answerOf } from './answer.ts';
import { createAttempts, UNLIMITED } from './attempts.ts';
import { type AuthorizerContext, createAuthorizer, identityOf } from './authorize.ts';
import { eventOf, type Received, withAuthorizer, withBody } from './event.ts';
import { InvocationTimeout, invoke, type LambdaContext } from './invoke.ts';
import { createMatcher, type RouteEntry } from './match.ts';
import { proofInHeader, proofInRefresh, proofInSignIn } from './proof.ts';
import { referenceRedirect } from './reference-redirect.ts';
import { Refusal, refuse, refuseMethod } from './refusal.ts';
import type { Called } from './room.ts';
import { checkTarget } from './target.ts';

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
  readonly rate?: CompanyRate | undefined;
  /** How many wrong credentials each address may send; without it, as many as it likes. */
  readonly wrongCredentials?: Rate | undefined;
  /** Told of each function that failed, as CloudWatch would be. */
  readonly onFailure?: (failure: Failure) => void;
}

/** Reads a body when everything before it is in order. */
export type ReadBody = (called: Called) => Promise<Buffer | null>;

/** Answers a request; never rejects. */
export type Pipeline = (received: Received, readBody: ReadBody) => Promise<Answer>;

const match = createMatcher(ROUTES);

/** What routes take that check credentials themselves, and how to find these. */
const SIGN_INS: ReadonlyMap<RouteEntry['body'], typeof proofInSignIn> = new Map([
  ['credentials', proofInSignIn],
  ['refresh-token', proofInRefresh],
]);

function addressOf({ requestContext }: APIGatewayProxyEvent): string {
  return requestContext.identity.sourceIp;
}

/** @param cause why the credentials are wrong, if they were checked */
function tooManyWrong(cause?: unknown): Refusal {
  const detail = 'This address sends too many wrong credentials. Segue did not check these.';
  return new Refusal('THROTTLED', { cause, detail });
}

/** What happens between a request's headers and its answer: match, authorize, build the event, call the function. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { handlers, now, timeoutMs = GATEWAY_LIMITS.timeoutMs, onFailure = () => {} } = options;
  const authorize = createAuthorizer({
    now,
    ttlMs: options.authorizerTtlMs ?? 30_000,
    call: (event) => invoke(options.authorizer, event, { functionName: 'authorizer', now, timeoutMs }),
  });

  const { rate = () => true, wrongCredentials } = options;
  const attempts = wrongCredentials ? createAttempts({ ...wrongCredentials, now }) : UNLIMITED;

  async function call(route: RouteEntry, event: APIGatewayProxyEvent): Promise<Answer> {
    try {
      return answerOf(await invoke(handlers[route.id], event, { functionName: route.id, now, timeoutMs }));
    } catch (cause) {
      if (cause instanceof Refusal) throw cause;
      throw new Refusal(cause instanceof InvocationTimeout ? 'INTEGRATION_TIMEOUT' : 'INTEGRATION_FAILURE', { cause });
    }
  }

  /** @throws {Refusal} what `authorize` throws, and THROTTLED if the address sent too many wrong credentials */
  async function authorizeWithin(event: APIGatewayProxyEvent, identity: string): Promise<AuthorizerContext> {
    const attempt = { address: addressOf(event), ...proofInHeader(identity) };
    if (!attempts.mayTry(attempt)) throw tooManyWrong();
    try {
      const context = await authorize(event, identity);
      attempts.succeeded(attempt);
      return context;
    } catch (error) {
      const isWrong = error instanceof Refusal && error.name === 'UNAUTHORIZED';
      if (isWrong && !attempts.failed(attempt)) throw tooManyWrong(error);
      throw error;
    }
  }

  /** Calls an operation: within the same limit if it checks credentials itself and was sent some. */
  async function callWithin(route: RouteEntry, event: APIGatewayProxyEvent, header: readonly string[]) {
    const proof = SIGN_INS.get(route.body)?.(event, header);
    if (!proof) return call(route, event);
    const attempt = { address: addressOf(event), ...proof };
    if (!attempts.mayTry(attempt)) throw tooManyWrong();
    const answer = await call(route, event);
    if (answer.status === 200) attempts.succeeded(attempt);
    if (answer.status === 401 && !attempts.failed(attempt)) throw tooManyWrong();
    return answer;
  }

  async function requireLeave(event: APIGatewayProxyEvent, identity: string): Promise<void> {
    const { principalId } = await authorizeWithin(event, identity);
    if (!(await rate(principalId))) throw new Refusal('THROTTLED');
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
    const isAnonymous = identity === null;
    const body = await readBody({ operation: route.id, isOfTask, isOfPage, isAnonymous, limits });
    // A body may take longer to come than credentials stay good: they are what they are when the function is called.
    const authorized = identity === null ? event : withAuthorizer(event, await authorizeWithin(event, identity));
    const whole = withBody(authorized, body);
    return callWithin(route, whole, headers.authorization);
  }

  return async (received, readBody) => {
    try {
      return await handle(received, readBody);
    } catch (error) {
      const type = error instanceof Refusal ? error.name : 'DEFAULT_5XX';
      const { requestId } = received;
      if (FAILURES.has(type)) onFailure({ functionName: nameOf(received), requestId, error: causeOf(error) });
      return refuse(type, received, error instanceof Refusal ? error.detail : undefined);
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
