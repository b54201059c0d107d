import { ROUTES, servedMethods } from '../lib/contract/routes.ts';
import { GatewayError } from './response.ts';

/** A request target in its raw, percent-encoded parts. */
export interface Target {
  readonly path: string;
  /** The text after the first `?`; `undefined` without one. */
  readonly query: string | undefined;
}

/** Splits a request target. Of an absolute URL only the part after the authority counts. */
export function splitTarget(target: string): Target {
  const [, path, query] = /^(?:[^/?]*:\/\/[^/?]*)?([^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  return { path: path || '/', query };
}

/**
 * Rejects the targets that API Gateway rejects before it looks at the API: a stray `%`, raw bytes outside ASCII, and in
 * the query the characters that its documentation wants encoded.
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS
 */
export function checkTarget({ path, query = '' }: Target): void {
  const malformed = /[^\x21-\x7e]|%(?![0-9a-f]{2})/i;
  if (malformed.test(path) || malformed.test(query) || /[|{}]/.test(query)) {
    throw new GatewayError('BAD_REQUEST_PARAMETERS');
  }
}

/**
 * Reads the values of each parameter as API Gateway does: decoded once, `+` is a space, `;` separates like `&`, a name
 * alone has the value ''.
 * @returns null if the query names no parameter
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS if the bytes are not UTF-8
 */
export function readQuery(query: string | undefined): ReadonlyMap<string, string[]> | null {
  if (!query) return null;
  try {
    // URLSearchParams would replace invalid bytes.
    decodeURIComponent(query);
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST_PARAMETERS', { cause });
  }
  // It drops a "?" at the beginning, which is part of a name here.
  const pairs = new URLSearchParams(`&${query.replaceAll(';', '&')}`);
  if (pairs.size === 0) return null;
  // `getAll` for each name would take the square of their number.
  const grouped = Map.groupBy(pairs, ([name]) => name);
  return new Map([...grouped].map(([name, all]) => [name, all.map(([, value]) => value)]));
}

export type RouteEntry = (typeof ROUTES)[number];

/** A path of the API, and what can be done there. */
export interface ApiResource {
  /** With its parameters in braces, as in the route table. */
  readonly path: string;
  readonly routes: ReadonlyMap<string, RouteEntry>;
  /** The methods of the `Allow` header. */
  readonly allow: readonly string[];
}

const RESOURCES = [...Map.groupBy<string, RouteEntry>(ROUTES, (route) => route.path)].map(([path, entries]) => ({
  path,
  form: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  routes: new Map(entries.flatMap((route) => servedMethods(route).map((method) => [method, route] as const))),
  allow: entries.flatMap(servedMethods),
}));
// Those with fewer parameters first: a static segment wins.
RESOURCES.sort((a, b) => a.path.split('{').length - b.path.split('{').length);

/**
 * Finds the resource of a path. It compares raw paths, as API Gateway does: segments are not decoded, a static segment
 * wins over a parameter, and one slash at the end is ignored.
 */
export function resourceAt(path: string): ApiResource | undefined {
  return RESOURCES.find(({ form }) => form.test(path));
}
