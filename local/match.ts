import { type ROUTES, type Route, servedMethods } from '../lib/contract/routes.ts';

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
