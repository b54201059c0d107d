import type { Route } from '../../lib/contract/routes.ts';
import { resourceAt } from '../../local/target.ts';
import { withoutQuery } from './projects.ts';
import type { SimulatedService } from './server.ts';

/** A path that the service does not have. */
const NOWHERE = '/none';

/** Hides the paths of a service that only Segue has. A request to them gets the 404 of an unknown path. */
export function withPublicPaths(service: SimulatedService): SimulatedService {
  return (request) => service(isPublic(withoutQuery(request.path)) ? request : { ...request, path: NOWHERE });
}

function isPublic(path: string): boolean {
  const routes = [...(resourceAt(path)?.routes.values() ?? [])];
  return !routes.some(({ problems }: Pick<Route, 'problems'>) => problems.includes('not-supported'));
}
