import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { Problem } from '../contract/problem.ts';
import type { Route } from '../contract/routes.ts';
import { MARGIN_MS } from '../service/deadline.ts';
import { type Log, logToStandardError } from '../service/log.ts';
import type { CallContext } from '../service/port.ts';
import { encodeResult, type HttpResult, type ProxyResult, type RequestMiddleware } from './http-result.ts';
import { noBody } from './middleware/body.ts';
import { problems } from './middleware/problems.ts';
import { requestLog } from './middleware/request-log.ts';
import { routeChecks } from './middleware/route-checks.ts';
import { type HttpRequest, readRequest } from './request.ts';

/** The dependencies of every operation. */
export interface OperationOptions {
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly log?: Log;
}

/** A Lambda handler of HTTP requests. */
export type HttpHandler = (event: unknown, context: Context) => Promise<ProxyResult>;

/** The Lambda handler of an operation, with the route that it serves. */
export type OperationHandler = HttpHandler & { readonly route: Omit<Route, 'function'> };

/**
 * How long before the request's time limit an unfinished operation answers with a problem, in milliseconds. By its
 * deadline an operation ends by itself, so it gets some time for that.
 */
const EARLY_MS = MARGIN_MS.answer / 2;

/**
 * Makes the handler of an operation. It runs the checks that all operations share, and then the operation's own work.
 * @param body the middleware that reads the body; by default the operation rejects a body
 * @param work runs the operation after the checks
 */
export function operation(
  route: Omit<Route, 'function'>,
  {
    now,
    log = logToStandardError,
    body = noBody(route.query),
  }: OperationOptions & { readonly body?: RequestMiddleware | undefined },
  work: (request: HttpRequest, context: Context) => Promise<HttpResult>,
): OperationHandler {
  const run = middy<HttpRequest, ProxyResult>({
    timeoutEarlyInMillis: EARLY_MS,
    timeoutEarlyResponse: outOfTime(route),
  })
    .use(requestLog(route.id, log, now))
    .use(problems(route))
    .use(routeChecks(route))
    .use(body)
    .handler(async (request, context) => encodeResult(request, await work(request, context)));
  const handle: HttpHandler = async (event, context) => {
    const request = readRequest(event, context, now);
    return run(request, { ...context, getRemainingTimeInMillis: request.timeLimit.remainingMs });
  };
  return Object.assign(handle, { route });
}

/** Returns the caller and the deadline of a request, as the project service needs them. */
export function callContext({ principal, address, requestId, traceId, deadline }: HttpRequest): CallContext {
  if (!principal) throw new TypeError('The gateway let a request through without its authorizer');
  return {
    companyId: principal.companyId,
    requestedBy: { kind: 'key', id: principal.keyId },
    scopes: principal.scopes,
    keyVersion: principal.keyVersion,
    keyExpiresAtMs: principal.keyExpiresAtMs,
    projectsADay: principal.projectsADay,
    address,
    requestId,
    traceId,
    deadline,
  };
}

function outOfTime({ problems }: Pick<Route, 'problems'>): () => never {
  return () => {
    throw problems.includes('outcome-unknown')
      ? new Problem('outcome-unknown', { detail: 'Segue ran out of time before it knew the result of the request.' })
      : new Problem('unavailable', { detail: 'Segue ran out of time. Nothing was done.', retryAfterSeconds: 5 });
  };
}
