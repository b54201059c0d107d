import type { Route } from './routes.ts';

/** An operation that serves a file of the console. It is no part of the public API, and a stack has it as an option. */
export type ConsoleRoute = Omit<Route, 'function'> & { readonly function: 'console' };

const file = {
  function: 'console',
  method: 'GET',
  scope: null,
  query: [],
  body: 'none',
  success: [200],
} as const;

/** The operations that serve the console. */
export const CONSOLE_ROUTES = [
  {
    ...file,
    id: 'getConsole',
    path: '/console',
    summary: 'Show the console',
    produces: ['text/html'],
    problems: ['unexpected-body'],
  },
  {
    ...file,
    id: 'getConsoleFile',
    path: '/console/{file}',
    summary: 'Get a file of the console',
    produces: ['text/javascript', 'text/css'],
    problems: ['route-not-found', 'unexpected-body'],
  },
] as const satisfies readonly ConsoleRoute[];

/** Returns the route of an operation of the console. */
export function consoleRouteOf(id: (typeof CONSOLE_ROUTES)[number]['id']): ConsoleRoute {
  const route = CONSOLE_ROUTES.find((each) => each.id === id);
  if (!route) throw new RangeError(`There is no operation ${id}`);
  return route;
}
