import type { MiddlewareObj } from '@middy/core';
import { Problem } from '../../../contract/problem.ts';
import type { ProxyResult } from '../event.ts';
import { acceptsJson } from '../negotiation.ts';
import type { HttpRequest } from '../request.ts';

/** Lets a request through that accepts JSON, the type of every success. Problems are said in their own type anyway. */
export const requireAcceptable = (): MiddlewareObj<HttpRequest, ProxyResult> => ({
  before({ event }) {
    if (!acceptsJson(event.header('accept'))) {
      throw new Problem('not-acceptable', { detail: 'The answer is application/json: accept that.' });
    }
  },
});
