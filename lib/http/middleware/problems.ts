import type { MiddlewareObj } from '@middy/core';
import { Problem } from '../../contract/problem.ts';
import { withOperationId } from '../../service/port.ts';
import { encodeProblem, type ProxyResult } from '../http-result.ts';
import type { HttpRequest } from '../request.ts';

/** Answers every failure with its problem. One without a name is ours, and nothing of it is told. */
export const problems = (): MiddlewareObj<HttpRequest, ProxyResult> => ({
  onError(request) {
    const { event, error } = request;
    const problem =
      error instanceof Problem
        ? withOperationId(error, event.operationId)
        : new Problem('internal-error', { detail: 'The request could not be handled. Its id tells the operator why.' });
    request.response = encodeProblem(problem, event.requestId, event.baseUrl);
  },
});
