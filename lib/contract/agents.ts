import { isLookupPath } from './paths.ts';
import { PUBLIC_READ, type Route, SCOPES } from './routes.ts';

/** An operation for agents. It is no part of the public API, and a stack has it as an option. */
export type AgentRoute = Omit<Route, 'function'> & { readonly function: 'agents' };

/** The path at which agents send the messages of the Model Context Protocol. */
export const AGENTS_PATH = '/mcp';

export const answerAgentRoute = {
  function: 'agents',
  id: 'answerAgent',
  method: 'POST',
  path: AGENTS_PATH,
  summary: 'Answer a message of an agent',
  // Each tool needs a scope of its own.
  scope: SCOPES,
  query: [],
  body: 'agent-message',
  problems: ['malformed-json', 'unsupported-media-type', 'too-large', 'invalid-header', 'outcome-unknown'],
} as const satisfies AgentRoute;

const metadata = { ...PUBLIC_READ, function: 'agents' } as const;

export const getProtectedResourceRoute = {
  ...metadata,
  id: 'getProtectedResource',
  path: '/.well-known/oauth-protected-resource',
  summary: 'Say where clients get tokens for this API',
} as const satisfies AgentRoute;

/** The same at the path that RFC 9728 makes of the URL of the resource. Clients ask there first. */
export const getAgentsResourceRoute = {
  ...getProtectedResourceRoute,
  id: 'getAgentsResource',
  path: `${getProtectedResourceRoute.path}${AGENTS_PATH}`,
} as const satisfies AgentRoute;

export const getAuthorizationServerRoute = {
  ...metadata,
  id: 'getAuthorizationServer',
  path: '/.well-known/oauth-authorization-server',
  summary: 'Say how clients get tokens',
} as const satisfies AgentRoute;

/** The routes of the operations for agents. */
export const AGENT_ROUTES = [
  answerAgentRoute,
  getProtectedResourceRoute,
  getAgentsResourceRoute,
  getAuthorizationServerRoute,
] as const;

/** The functions whose operations are all tools. */
const WITH_TOOLS: readonly string[] = ['changeProjects', 'changeTranslations', 'readProjects'];
/** The public pages that are tools too. */
const PAGES: readonly string[] = ['listLanguages', 'getProblemType'];

/** Whether agents have a tool for an operation. They need no lookups, which hardly any Segue passes on. */
export function hasTool({ id, function: name, path }: Pick<Route, 'id' | 'function' | 'path'>): boolean {
  return (WITH_TOOLS.includes(name) && !isLookupPath(path)) || PAGES.includes(id);
}
