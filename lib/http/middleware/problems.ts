import { Problem } from '../../contract/problem.ts';
import { withOperationId } from '../../service/port.ts';
import { encodeProblem, type RequestMiddleware } from '../http-result.ts';

/** Answers every failure with its problem. An unexpected error becomes `internal-error`, without its message. */
export const problems = (): RequestMiddleware => ({
  onError(request) {
    const { event, error } = request;
    const problem =
      error instanceof Problem
        ? withOperationId(error, event.operationId)
        : new Problem('internal-error', { detail: 'The request could not be handled. Its id tells the operator why.' });
    request.response = encodeProblem(problem, event.requestId, event.baseUrl);
  },
});
