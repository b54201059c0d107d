import { ADMINISTRATION_ROUTES } from '../lib/contract/administration.ts';
import { OPTIONAL_ROUTES } from '../lib/contract/optional-routes.ts';
import { servedMethods } from '../lib/contract/routes.ts';
import { ROUTES } from '../lib/operations/routes.ts';
import { GatewayError } from './response.ts';

/** The parts of a request target, still percent-encoded. */
export interface Target {
  readonly path: string;
  /** The text after the first `?`. `undefined` if there is no `?`. */
  readonly query: string | undefined;
}

/** Splits a request target. The scheme and authority of an absolute URL are dropped. */
export function splitTarget(target: string): Target {
  const [, path, query] = /^(?:[^/?]*:\/\/[^/?]*)?([^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  return { path: path || '/', query };
}

/**
 * Rejects the targets that API Gateway rejects before it looks for a route. They have a stray `%`, bytes outside ASCII,
 * or characters in the query that must be encoded, according to API Gateway's documentation.
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS
 */
export function checkTarget({ path, query = '' }: Target): void {
  const malformed = /[^\x21-\x7e]|%(?![0-9a-f]{2})/i;
  if (malformed.test(path) || malformed.test(query) || /[|{}]/.test(query)) {
    throw new GatewayError('BAD_REQUEST_PARAMETERS');
  }
}

/**
 * Reads the values of each query parameter as API Gateway does. Values are decoded once, and `+` means a space.
 * Parameters are separated by `&` or `;`, and a name without `=` has an empty value.
 * @returns null if the query has no parameter
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS if the bytes are not UTF-8
 */
export function readQuery(query: string | undefined): ReadonlyMap<string, string[]> | null {
  if (!query) return null;
  try {
    // This call only checks the bytes. URLSearchParams would replace invalid bytes without an error.
    decodeURIComponent(query);
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST_PARAMETERS', { cause });
  }
  // URLSearchParams would drop a "?" at the beginning, but here the "?" is part of a name. The "&" prevents that.
  const pairs = new URLSearchParams(`&${query.replaceAll(';', '&')}`);
  if (pairs.size === 0) return null;
  // Calling `getAll` for each name would take quadratic time.
  const grouped = Map.groupBy(pairs, ([name]) => name);
  return new Map([...grouped].map(([name, all]) => [name, all.map(([, value]) => value)]));
}

/** The operations that every client reaches: those of the public API, the console and the door of agents. */
export const PUBLIC_ROUTES = [...ROUTES, ...OPTIONAL_ROUTES] as const;
const ALL_ROUTES = [...PUBLIC_ROUTES, ...ADMINISTRATION_ROUTES] as const;
export type RouteEntry = (typeof ALL_ROUTES)[number];

/** The resources: the paths of the API, each with the methods that it serves. */
const RESOURCES = [...Map.groupBy<string, RouteEntry>(ALL_ROUTES, (route) => route.path)].map(([path, routes]) => ({
  /** The path with its parameters in braces, as in the route table. */
  path,
  /** Whether it belongs to the administration API, which only this machine reaches. */
  isAdministration: routes.some((route) => route.function === 'administration'),
  form: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  routes: new Map(
    routes.flatMap((route) => servedMethods(route).map((method): [string, RouteEntry] => [method, route])),
  ),
  /** The methods in the header `Allow` of a 405 response. */
  allow: routes.flatMap(servedMethods),
}));
// Of two paths that fit, the one with the earlier static segment comes first: `/custom/{customId}` before `/{id}/segments`.
RESOURCES.sort((a, b) => (precedence(a.path) < precedence(b.path) ? -1 : 1));

/** Returns the order of a path: `0` for each static segment and `1` for each parameter, from the first segment on. */
function precedence(path: string): string {
  return path.replaceAll(/[^/{}]+/g, '0').replaceAll('{0}', '1');
}

/**
 * Finds the resource for a path as API Gateway does: segments are not decoded, a static segment wins over a parameter,
 * and one trailing slash is ignored.
 */
export function resourceAt(path: string) {
  return RESOURCES.find(({ form }) => form.test(path));
}
