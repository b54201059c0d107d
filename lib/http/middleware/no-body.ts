import type { MiddlewareObj } from '@middy/core';
import { Problem } from '../../contract/problem.ts';
import type { ProxyResult } from '../event.ts';
import type { HttpRequest } from '../request.ts';

/** Lets a request through that has no body: what it asks for stands in path and query alone. */
export const noBody = (): MiddlewareObj<HttpRequest, ProxyResult> => ({
  before({ event }) {
    if (event.received) {
      throw new Problem('unexpected-body', { detail: 'This operation accepts no body. Segue did nothing.' });
    }
  },
});
