import * as z from 'zod/mini';
import { type OperationId, ROUTES } from '../../lib/operations/routes.ts';
import { PUBLIC_ROUTES } from '../../local/target.ts';

/** Returns the route of an operation. */
export function routeOf<Id extends OperationId>(id: Id): Extract<(typeof ROUTES)[number], { id: Id }> {
  for (const route of ROUTES) if (isRoute(route, id)) return route;
  throw new RangeError(`There is no operation ${id}`);
}

function isRoute<Id extends OperationId>(
  route: (typeof ROUTES)[number],
  id: Id,
): route is Extract<(typeof ROUTES)[number], { id: Id }> {
  return route.id === id;
}

type PublicRoute = (typeof PUBLIC_ROUTES)[number];

/** Returns a handler for each operation that every client reaches, by the operation's id. */
export function forEachOperation<T>(handlerOf: (route: PublicRoute) => T): Readonly<Record<PublicRoute['id'], T>> {
  const Handlers = z.record(z.enum(PUBLIC_ROUTES.map(({ id }) => id)), z.custom<T>());
  return Handlers.parse(Object.fromEntries(PUBLIC_ROUTES.map((route) => [route.id, handlerOf(route)])));
}
