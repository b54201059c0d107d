import { readQuery } from '../../contract/parameters.ts';
import { Problem } from '../../contract/problem.ts';
import { SUSPENDED_DETAIL } from '../../contract/problems.ts';
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
      if (event.principal?.isSuspended) throw new Problem('company-suspended', { detail: SUSPENDED_DETAIL });
      if (scope !== null && !event.principal?.scopes.includes(scope)) {
        throw new Problem('scope-missing', {
          detail: `The API key lacks the scope ${scope}. Use a key that has this scope.`,
        });
      }
      const type = preferredType(event.header('accept'), produces);
      if (!type)
        throw new Problem('not-acceptable', {
          detail: `The Accept header must allow ${produces.join(' or ')}. Segue answers this request with nothing else.`,
        });
      event.answerType = type;
      event.parameters = readQuery(query, event.query);
    },
  };
};
