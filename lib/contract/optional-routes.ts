import { AGENT_ROUTES } from './agents.ts';
import { CONSOLE_ROUTES } from './console.ts';

/** The routes that are no part of the public API, and that a stack has only with an option. */
export const OPTIONAL_ROUTES = [...CONSOLE_ROUTES, ...AGENT_ROUTES] as const;
export type OptionalRoute = (typeof OPTIONAL_ROUTES)[number];
