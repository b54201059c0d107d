import { alertOf, type FailureFields, failureFields, type Log } from '../../service/log.ts';
import type { ProxyResult, RequestMiddleware } from '../http-result.ts';
import type { HttpRequest } from '../request.ts';

/** Makes a middleware that logs one line for each request, after the result is known. */
export const requestLog = (operation: string, log: Log, now: () => number): RequestMiddleware => {
  const began = new WeakMap<HttpRequest, number>();
  const write = (request: HttpRequest, response: ProxyResult | null | undefined, failure: FailureFields) => {
    log({
      operation,
      requestId: request.requestId,
      traceId: request.traceId,
      alert: alertOf(failure),
      companyId: request.principal?.companyId,
      keyId: request.principal?.keyId,
      ...request.logFields,
      status: response?.statusCode ?? 500,
      durationMs: now() - (began.get(request) ?? now()),
      requestBytes: request.bodyBytes,
      answerBytes: response ? Buffer.byteLength(response.body, response.isBase64Encoded ? 'base64' : 'utf8') : 0,
      ...failure,
    });
  };
  return {
    before({ event }) {
      began.set(event, now());
    },
    after({ event, response }) {
      write(event, response, {});
    },
    onError({ event, response, error }) {
      write(event, response, failureFields(error));
    },
  };
};
