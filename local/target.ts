import { type ROUTES, type Route, servedMethods } from '../lib/contract/routes.ts';
import { GatewayError } from './response.ts';

/** A request target in its raw, percent-encoded parts. */
export interface Target {
  readonly path: string;
  /** The text after the first `?`; `null` without one. */
  readonly query: string | null;
}

/** The parameters of a query, each with its last value and with all its values. */
export interface Query {
  readonly last: Record<string, string>;
  readonly all: Record<string, string[]>;
}

/** Splits a request target. Of an absolute URL only the part after the authority counts. */
export function splitTarget(target: string): Target {
  const local = target.startsWith('/') ? target : withoutOrigin(target);
  const mark = local.indexOf('?');
  return mark < 0 ? { path: local, query: null } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

function withoutOrigin(target: string): string {
  const scheme = target.indexOf('://');
  if (scheme < 0) return target;
  const rest = target.slice(scheme + 3);
  const start = rest.search(/[/?]/);
  if (start < 0) return '/';
  return rest[start] === '?' ? `/${rest.slice(start)}` : rest.slice(start);
}

/**
 * Rejects the targets that API Gateway rejects before it looks at the API: a stray `%`, raw bytes outside ASCII, and in
 * the query the characters that its documentation wants encoded.
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS
 */
export function checkTarget({ path, query }: Target): void {
  const malformed = /[^\x21-\x7e]|%(?![0-9a-f]{2})/i;
  if (malformed.test(path) || (query !== null && (malformed.test(query) || /[|{}]/.test(query)))) {
    throw new GatewayError('BAD_REQUEST_PARAMETERS');
  }
}

/**
 * Reads a query as API Gateway does: decoded once, `+` is a space, `;` separates like `&`, a name alone has the value ''.
 * @returns null if the query names no parameter
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS if the bytes are not UTF-8
 */
export function readQuery(query: string | null): Query | null {
  if (!query) return null;
  try {
    // URLSearchParams would replace invalid bytes.
    decodeURIComponent(query);
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST_PARAMETERS', { cause });
  }
  // It drops a "?" at the beginning, which is part of a name here.
  const pairs = new URLSearchParams(`&${query.replaceAll(';', '&')}`);
  const values = [...Map.groupBy(pairs, ([name]) => name)].map(
    ([name, all]) => [name, all.map(([, value]) => value)] as const,
  );
  if (values.length === 0) return null;
  // fromEntries makes own properties even of names such as __proto__.
  return {
    last: Object.fromEntries(values.map(([name, all]) => [name, all.at(-1) ?? ''])),
    all: Object.fromEntries(values),
  };
}

/** Decodes a path parameter. Invalid bytes stay as they are: functions read ids from the raw path. */
export function decodedOrRaw(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export type RouteEntry = (typeof ROUTES)[number];

/** A path of the API, and what can be done there. */
export interface ApiResource<Entry extends Route = RouteEntry> {
  /** With its parameters in braces, as in the route table. */
  readonly path: string;
  readonly routes: ReadonlyMap<string, Entry>;
  /** The methods of the `Allow` header. */
  readonly allow: readonly string[];
}

/** Where a request's path leads. */
export interface RouteMatch<Entry extends Route = RouteEntry> {
  readonly resource: ApiResource<Entry>;
  /** Values of the path parameters, still percent-encoded. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/**
 * Makes the matcher of a route table. It compares raw paths, as API Gateway does: segments are not decoded, a static
 * segment wins over a parameter, and one slash at the end is ignored.
 */
export function createMatcher<Entry extends Route>(
  routes: readonly Entry[],
): (path: string) => RouteMatch<Entry> | undefined {
  const resources = [...Map.groupBy(routes, (route) => route.path)].map(([path, entries]) => ({
    path,
    segments: path.slice(1).split('/'),
    routes: new Map(entries.flatMap((route) => servedMethods(route).map((method) => [method, route] as const))),
    allow: entries.flatMap(servedMethods),
  }));
  // Those with fewer parameters first: a static segment wins.
  resources.sort((a, b) => a.path.split('{').length - b.path.split('{').length);

  return (path) => {
    if (!path.startsWith('/')) return undefined;
    const given = path.slice(1, path.length > 1 && path.endsWith('/') ? -1 : undefined).split('/');
    for (const resource of resources) {
      const parameters = parametersOf(resource.segments, given);
      if (parameters) return { resource, parameters };
    }
    return undefined;
  };
}

/** @returns `undefined` if the path does not match */
function parametersOf(segments: readonly string[], given: readonly string[]): [string, string][] | undefined {
  if (segments.length !== given.length) return undefined;
  const parameters: [string, string][] = [];
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? '';
    if (segment.startsWith('{') && value !== '') parameters.push([segment.slice(1, -1), value]);
    else if (segment !== value) return undefined;
  }
  return parameters;
}
