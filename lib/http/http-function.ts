import * as z from 'zod/mini';
import { type HttpFunctionName, type OperationsOf, ROUTES, servedMethods } from '../contract/routes.ts';
import type { HttpHandler } from './operation.ts';

/** The schema of the event fields that pick an operation. */
const Target = z.object({ httpMethod: z.string(), resource: z.string() });

/**
 * Makes the handler of a Lambda function that serves several operations. The method and resource of an API Gateway
 * event pick the operation.
 *
 * The handler throws a `RangeError` if the event is for an operation of another Lambda function. Only a misconfigured
 * integration sends such an event, and then API Gateway answers `internal-error`.
 * @param handlers the handlers of all routes whose `function` is `name`
 */
export function httpFunction<Name extends HttpFunctionName>(
  name: Name,
  handlers: Readonly<Record<OperationsOf<Name>, HttpHandler>>,
): HttpHandler {
  const byId = new Map<string, HttpHandler>(Object.entries(handlers));
  const byTarget = new Map(
    ROUTES.filter((route) => route.function === name).flatMap((route) =>
      servedMethods(route).map((method) => [`${method} ${route.path}`, byId.get(route.id)]),
    ),
  );
  return async (event, context) => {
    const { httpMethod, resource } = Target.parse(event);
    const handle = byTarget.get(`${httpMethod} ${resource}`);
    if (!handle) throw new RangeError(`${name} serves no ${httpMethod} ${resource}`);
    return handle(event, context);
  };
}
