import type { MiddlewareObj } from '@middy/core';
import { type ParameterName, readQuery } from '../../contract/parameters.ts';
import type { ProxyResult } from '../event.ts';
import type { HttpRequest } from '../request.ts';

/** Reads the query strictly: a parameter that is unknown, repeated or ill-formed ends the request. */
export const query = (names: readonly ParameterName[]): MiddlewareObj<HttpRequest, ProxyResult> => ({
  before({ event }) {
    event.parameters = readQuery(names, event.query);
  },
});
