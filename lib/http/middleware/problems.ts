import { Problem } from '../../contract/problem.ts';
import { withOperationId } from '../../service/port.ts';
import { encodeProblem, type RequestMiddleware } from '../http-result.ts';

/** Makes a middleware that answers errors with problems. An unexpected error becomes `internal-error`. */
export const problems = (): RequestMiddleware => ({
  onError(request) {
    const { event, error } = request;
    const problem =
      error instanceof Problem
        ? withOperationId(error, event.operationId)
        : new Problem('internal-error', {
            detail: 'Segue could not handle the request. The operator can find the cause by the request id.',
          });
    request.response = encodeProblem(problem, event.requestId, event.baseUrl);
  },
});
