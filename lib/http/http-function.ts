import * as z from 'zod/mini';
import { type HttpFunctionName, type OperationsOf, ROUTES, type Route, servedMethods } from '../contract/routes.ts';
import type { HttpHandler } from './operation.ts';

/** The schema of the event fields that pick an operation. */
const Target = z.object({ httpMethod: z.string(), resource: z.string() });

/**
 * Makes the handler of a Lambda function that serves several operations of the public API, like `functionOf`.
 * @param handlers the handlers of all routes whose `function` is `name`
 */
export function httpFunction<Name extends HttpFunctionName>(
  name: Name,
  handlers: Readonly<Record<OperationsOf<Name>, HttpHandler>>,
): HttpHandler {
  return functionOf(
    name,
    ROUTES.filter((route) => route.function === name),
    handlers,
  );
}

/**
 * Makes the handler of a Lambda function that serves several routes. The method and resource of an API Gateway event
 * pick the route.
 *
 * The handler throws a `RangeError` if the event is for a route of another Lambda function. Only a misconfigured
 * integration sends such an event, and then API Gateway answers `internal-error`.
 * @param handlers the handlers of the routes by their ids
 */
export function functionOf(
  name: string,
  routes: readonly Pick<Route, 'id' | 'method' | 'path'>[],
  handlers: Readonly<Record<string, HttpHandler>>,
): HttpHandler {
  const byTarget = new Map(
    routes.flatMap((route) =>
      servedMethods(route).map((method): [string, HttpHandler | undefined] => [
        `${method} ${route.path}`,
        handlers[route.id],
      ]),
    ),
  );
  return async (event, context) => {
    const { httpMethod, resource } = Target.parse(event);
    const handle = byTarget.get(`${httpMethod} ${resource}`);
    if (!handle) throw new RangeError(`${name} serves no ${httpMethod} ${resource}`);
    return handle(event, context);
  };
}
