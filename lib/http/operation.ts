import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import { Problem } from '../contract/problem.ts';
import type { Route } from '../contract/routes.ts';
import { type Log, logToStandardError } from '../service/log.ts';
import type { Call } from '../service/port.ts';
import { encodeResult, type HttpResult, type ProxyResult } from './http-result.ts';
import { problems } from './middleware/problems.ts';
import { requestLog } from './middleware/request-log.ts';
import { routeChecks } from './middleware/route-checks.ts';
import { type HttpRequest, readRequest } from './request.ts';

/** What an operation takes from outside, so that a test can hold the clock. */
export interface OperationOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log?: Log;
}

export type HttpHandler = (event: unknown, context: Context) => Promise<ProxyResult>;

/** Before the function's time is over, to say so in its last moment. */
const EARLY_MS = 250;

/**
 * Makes the handler of an operation: what is common to all, in the order of the contract's checks, then its own work.
 * @param body how the operation reads its body, or refuses one
 */
export function operation(
  route: Route,
  body: MiddlewareObj<HttpRequest, ProxyResult>,
  work: (request: HttpRequest) => Promise<HttpResult>,
  { now, log = logToStandardError }: OperationOptions,
): HttpHandler {
  const run = middy<HttpRequest, ProxyResult>({
    timeoutEarlyInMillis: EARLY_MS,
    timeoutEarlyResponse: outOfTime(route),
  })
    .use(requestLog(route.id, log, now))
    .use(problems())
    .use(routeChecks(route))
    .use(body)
    .handler(async (request) => encodeResult(request, await work(request)));
  return async (event, context) => run(readRequest(event, context, now), context);
}

/** The call that a request makes to the service. */
export function callOf({ principal, requestId, deadline }: HttpRequest): Call {
  if (!principal) throw new TypeError('The gateway let a request through without its authorizer');
  return {
    companyId: principal.companyId,
    requestedBy: { kind: 'key', id: principal.keyId },
    keyVersion: principal.keyVersion,
    requestId,
    deadline,
  };
}

function outOfTime({ problems }: Route): () => never {
  return () => {
    throw problems.includes('outcome-unknown')
      ? new Problem('outcome-unknown', { detail: 'There was not enough time to learn what became of the request.' })
      : new Problem('unavailable', { detail: 'There was not enough time for the request.', retryAfterSeconds: 5 });
  };
}
