import type { MiddlewareObj } from '@middy/core';
import { Problem } from '../../contract/problem.ts';
import type { Scope } from '../../contract/routes.ts';
import type { ProxyResult } from '../event.ts';
import type { HttpRequest } from '../request.ts';

/** Lets a request through whose key has the scope of the operation. `null` asks for none. */
export const requireScope = (scope: Scope | null): MiddlewareObj<HttpRequest, ProxyResult> => ({
  before({ event: { principal } }) {
    if (scope !== null && !principal?.scopes.includes(scope)) {
      throw new Problem('scope-missing', { detail: `The key lacks the scope ${scope}.` });
    }
  },
});
