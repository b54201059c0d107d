import { PUBLIC_READ, type Route } from './routes.ts';

/** An operation that serves a file of the console. It is no part of the public API, and a stack has it as an option. */
export type ConsoleRoute = Omit<Route, 'function'> & { readonly function: 'console' };

const file = { ...PUBLIC_READ, function: 'console' } as const;

export const getConsoleRoute = {
  ...file,
  id: 'getConsole',
  path: '/console',
  summary: 'Show the console',
  produces: ['text/html'],
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
