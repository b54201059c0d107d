import { companySuspended, notAcceptable, scopeMissing } from '../../contract/failures.ts';
import { readQuery } from '../../contract/parameters.ts';
import type { Route } from '../../contract/routes.ts';
import type { RequestMiddleware } from '../http-result.ts';
import { preferredType } from '../negotiation.ts';

/**
 * Makes a middleware that checks a request against its route: first the company and the scope, then `Accept`, then the query. It sets
 * `answerType` and `parameters` of the request.
 */
export const routeChecks = (route: Pick<Route, 'scope' | 'query' | 'produces'>): RequestMiddleware => {
  const { scope, query } = route;
  const produces = route.produces ?? ['application/json'];
  return {
    before({ event }) {
      if (event.principal?.isSuspended) throw companySuspended();
      if (scope !== null && !event.principal?.scopes.includes(scope)) throw scopeMissing(scope);
      const type = preferredType(event.header('accept'), produces);
      if (!type) throw notAcceptable(produces);
      event.answerType = type;
      event.parameters = readQuery(query, event.query);
    },
  };
};
