import { type ROUTES, type Route, servedMethods } from '../lib/contract/routes.ts';

export type RouteEntry = (typeof ROUTES)[number];

/** A path of the API with everything that can be done there. */
export interface Resource<Entry extends Route = RouteEntry> {
  /** With its parameters in braces, as in the route table. */
  readonly path: string;
  readonly routes: ReadonlyMap<string, Entry>;
  /** The value of the `Allow` header. */
  readonly allow: readonly string[];
}

/** Where a request's path leads. */
export interface Match<Entry extends Route = RouteEntry> {
  readonly resource: Resource<Entry>;
  /** Values of the path parameters, still percent-encoded. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

interface Node<Entry extends Route> {
  readonly children: Map<string, Node<Entry>>;
  variable?: { readonly name: string; readonly node: Node<Entry> };
  resource?: Resource<Entry>;
}

/**
 * Builds the matcher of a route table. It compares raw paths, as API Gateway does: a segment is what stands between
 * two slashes before decoding, a static segment wins over a parameter, and one slash at the end is not looked at.
 */
export function createMatcher<Entry extends Route>(
  routes: readonly Entry[],
): (path: string) => Match<Entry> | undefined {
  const root: Node<Entry> = { children: new Map() };
  for (const [path, entries] of Map.groupBy(routes, (route) => route.path)) {
    leafOf(root, path).resource = {
      path,
      routes: new Map(entries.flatMap((route) => servedMethods(route).map((method) => [method, route]))),
      allow: entries.flatMap(servedMethods),
    };
  }
  return (path) => {
    if (!path.startsWith('/')) return undefined;
    const end = path.length > 1 && path.endsWith('/') ? -1 : undefined;
    return find(root, path.slice(1, end).split('/'), 0, []);
  };
}

function leafOf<Entry extends Route>(root: Node<Entry>, path: string): Node<Entry> {
  let node = root;
  for (const segment of path.slice(1).split('/')) {
    if (segment.startsWith('{')) {
      node.variable ??= { name: segment.slice(1, -1), node: { children: new Map() } };
      node = node.variable.node;
    } else {
      const child: Node<Entry> = node.children.get(segment) ?? { children: new Map() };
      node.children.set(segment, child);
      node = child;
    }
  }
  return node;
}

function find<Entry extends Route>(
  node: Node<Entry>,
  segments: readonly string[],
  index: number,
  parameters: Match<Entry>['parameters'],
): Match<Entry> | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.resource && { resource: node.resource, parameters };
  const child = node.children.get(segment);
  const found = child && find(child, segments, index + 1, parameters);
  if (found || segment === '' || !node.variable) return found;
  return find(node.variable.node, segments, index + 1, [...parameters, [node.variable.name, segment]]);
}
