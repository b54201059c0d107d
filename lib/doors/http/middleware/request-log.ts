import type { MiddlewareObj } from '@middy/core';
import { Problem } from '../../../contract/problem.ts';
import type { ProxyResult } from '../event.ts';
import { causeOf, type Log } from '../log.ts';
import type { HttpRequest } from '../request.ts';

/** Logs one line a request, once it is answered. */
export const requestLog = (operation: string, log: Log, now: () => number): MiddlewareObj<HttpRequest, ProxyResult> => {
  const began = new WeakMap<HttpRequest, number>();
  const write = (request: HttpRequest, response: ProxyResult | null | undefined, error?: unknown) => {
    const problem = error instanceof Problem ? error : undefined;
    const codes = problem?.occurrence.errors?.map(({ code }) => code);
    const unexpected = problem ? problem.cause : error;
    log({
      operation,
      requestId: request.requestId,
      companyId: request.principal?.companyId,
      keyId: request.principal?.keyId,
      status: response?.statusCode ?? 500,
      problem: error === undefined ? undefined : (problem?.name ?? 'internal-error'),
      faults: codes && [...new Set(codes)],
      durationMs: now() - (began.get(request) ?? now()),
      requestBytes: request.bodyBytes,
      answerBytes: response ? Buffer.byteLength(response.body, response.isBase64Encoded ? 'base64' : 'utf8') : 0,
      cause: unexpected === undefined ? undefined : causeOf(unexpected),
    });
  };
  return {
    before({ event }) {
      began.set(event, now());
    },
    after({ event, response }) {
      write(event, response);
    },
    onError({ event, response, error }) {
      write(event, response, error);
    },
  };
};
