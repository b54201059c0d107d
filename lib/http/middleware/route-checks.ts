import { readQuery } from '../../contract/parameters.ts';
import { Problem } from '../../contract/problem.ts';
import type { Route } from '../../contract/routes.ts';
import type { RequestMiddleware } from '../http-result.ts';
import { preferredType } from '../negotiation.ts';

/** Checks a request against its route: the key's scope, then `Accept`, then the query. Sets the media type and the parameters. */
export const routeChecks = (route: Route): RequestMiddleware => {
  const { scope, query } = route;
  const produces = route.produces ?? ['application/json'];
  return {
    before({ event }) {
      if (scope !== null && !event.principal?.scopes.includes(scope)) {
        throw new Problem('scope-missing', { detail: `The key lacks the scope ${scope}.` });
      }
      const type = preferredType(event.header('accept'), produces);
      if (!type)
        throw new Problem('not-acceptable', { detail: `This operation returns ${produces.join(' or ')}. Accept it.` });
      event.answerType = type;
      event.parameters = readQuery(query, event.query);
    },
  };
};
