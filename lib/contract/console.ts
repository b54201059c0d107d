import type { Route } from './routes.ts';

/** An operation that serves a file of the console. It is no part of the public API, and a stack has it as an option. */
export type ConsoleRoute = Omit<Route, 'function'> & { readonly function: 'console' };

const file = {
  function: 'console',
  method: 'GET',
  scope: null,
  query: [],
  body: 'none',
} as const;

export const getConsoleRoute = {
  ...file,
  id: 'getConsole',
  path: '/console',
  summary: 'Show the console',
  produces: ['text/html'],
  problems: ['unexpected-body'],
} as const satisfies ConsoleRoute;

export const getConsoleFileRoute = {
  ...file,
  id: 'getConsoleFile',
  path: '/console/{file}',
  summary: 'Get a file of the console',
  produces: ['text/javascript', 'text/css'],
  problems: ['route-not-found', 'unexpected-body'],
} as const satisfies ConsoleRoute;

/** The routes of the operations that serve the console. */
export const CONSOLE_ROUTES = [getConsoleRoute, getConsoleFileRoute] as const;
