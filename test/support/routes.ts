import * as z from 'zod/mini';
import { type OperationId, ROUTES } from '../../lib/operations/routes.ts';

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

/** Returns the same value for each operation, by the operation's id. */
export function forEachOperation<T>(value: T): Readonly<Record<OperationId, T>> {
  const Values = z.record(z.enum(ROUTES.map(({ id }) => id)), z.custom<T>());
  return Values.parse(Object.fromEntries(ROUTES.map(({ id }) => [id, value])));
}
