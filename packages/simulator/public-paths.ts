import type { Route } from '../../lib/contract/routes.ts';
import { type RouteEntry, resourceAt } from '../../local/target.ts';
import { withoutQuery } from './projects.ts';
import type { SimulatedService } from './server.ts';

/** A path that the service does not have. */
const NOWHERE = '/none';
/** A method that no path has. */
const UNKNOWN_METHOD = 'OPTIONS';

/**
 * Hides the operations of a service that only Segue has. A request to one gets the 405 of an unknown method, or the 404 of
 * an unknown path if its path has no other operation.
 */
export function withPublicPaths(service: SimulatedService): SimulatedService {
  return (request) => {
    const routes = resourceAt(withoutQuery(request.path))?.routes ?? new Map<string, RouteEntry>();
    if (routes.size > 0 && routes.values().every(isOnlyOfSegue)) return service({ ...request, path: NOWHERE });
    const route = routes.get(request.method);
    return service(route && isOnlyOfSegue(route) ? { ...request, method: UNKNOWN_METHOD } : request);
  };
}

function isOnlyOfSegue({ problems }: Pick<Route, 'problems'>): boolean {
  return problems.includes('not-supported');
}
