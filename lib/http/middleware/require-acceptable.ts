import type { MiddlewareObj } from '@middy/core';
import { Problem } from '../../contract/problem.ts';
import type { MediaType } from '../../contract/routes.ts';
import type { ProxyResult } from '../event.ts';
import { preferredType } from '../negotiation.ts';
import type { HttpRequest } from '../request.ts';

/** Lets a request through that accepts a type of the operation's successes. Problems are said in their own type anyway. */
export const requireAcceptable = (
  produces: readonly MediaType[] = ['application/json'],
): MiddlewareObj<HttpRequest, ProxyResult> => ({
  before({ event }) {
    const type = preferredType(event.header('accept'), produces);
    if (!type) throw new Problem('not-acceptable', { detail: `The answer is ${produces.join(' or ')}: accept that.` });
    event.answerType = type;
  },
});
