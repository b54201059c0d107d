import { internalError } from '../../contract/failures.ts';
import { Problem } from '../../contract/problem.ts';
import type { Route } from '../../contract/routes.ts';
import { withOperationId } from '../../service/port.ts';
import { encodeOAuthError, encodeProblem, type RequestMiddleware } from '../http-result.ts';

/**
 * Makes a middleware that answers errors with problems, or with the errors of OAuth if the route has these. An
 * unexpected error becomes `internal-error`.
 */
export const problems = ({ errorForm }: Pick<Route, 'errorForm'>): RequestMiddleware => ({
  onError(request) {
    const { event, error } = request;
    const problem = error instanceof Problem ? withOperationId(error, event.operationId) : internalError();
    const encode = errorForm === 'oauth' ? encodeOAuthError : encodeProblem;
    request.response = encode(problem, event.requestId, event.baseUrl);
  },
});
