import { companySuspended, notAcceptable, scopeMissing } from '../../contract/failures.ts';
import { readQuery } from '../../contract/parameters.ts';
import { type Route, scopesOf } from '../../contract/routes.ts';
import type { RequestMiddleware } from '../http-result.ts';
import { preferredType } from '../negotiation.ts';

/**
 * Makes a middleware that checks a request against its route: first the company and the scope, then `Accept`, then the query. It sets
 * `answerType` and `parameters` of the request.
 */
export const routeChecks = (route: Pick<Route, 'scope' | 'query' | 'checksQuery' | 'produces'>): RequestMiddleware => {
  const { query, checksQuery = false } = route;
  const scopes = scopesOf(route);
  const produces = route.produces ?? ['application/json'];
  return {
    before({ event }) {
      if (event.principal?.isSuspended) throw companySuspended();
      const isAllowed = scopes.some((scope) => event.principal?.scopes.includes(scope));
      if (scopes.length > 0 && !isAllowed) throw scopeMissing(scopes);
      const type = preferredType(event.header('accept'), produces);
      if (!type) throw notAcceptable(produces);
      event.answerType = type;
      event.parameters = checksQuery ? {} : readQuery(query, event.query);
    },
  };
};
