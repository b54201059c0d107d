import * as z from 'zod/mini';
import { hot } from '../contract/hot.ts';
import { servedMethods } from '../contract/routes.ts';
import type { HttpHandler, OperationHandler } from './operation.ts';

/** The schema of the event fields that pick an operation. */
const target = hot(z.object({ httpMethod: z.string(), resource: z.string() }));

/**
 * Makes the handler of a Lambda function that serves several operations. The method and resource of an API Gateway event
 * pick the operation.
 *
 * The handler throws a `RangeError` if the event is for an operation of another Lambda function. Only a misconfigured
 * integration sends such an event, and then API Gateway answers `internal-error`.
 */
export function httpFunction(operations: readonly (OperationHandler | readonly OperationHandler[])[]): HttpHandler {
  const byTarget = new Map<string, OperationHandler>(
    operations.flat().flatMap((operation) => {
      const { route } = operation;
      return servedMethods(route).map((method) => [`${method} ${route.path}`, operation] as const);
    }),
  );
  return async (event, context) => {
    const { httpMethod, resource } = target().parse(event);
    const handle = byTarget.get(`${httpMethod} ${resource}`);
    if (!handle) throw new RangeError(`This function serves no ${httpMethod} ${resource}`);
    return handle(event, context);
  };
}
