import { needsKey, toolsOf } from '../../lib/agents/tools.ts';
import { hasTool } from '../../lib/contract/agents.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import { fill } from './fill.ts';
import { openApiText } from './openapi.ts';
import { table } from './table.ts';

/** Returns the page `docs/agents.md`, with the tools of agents. */
export function agentsPage(): string {
  const { tools } = toolsOf(JSON.parse(openApiText()), ROUTES.filter(hasTool));
  const rows = tools.map(({ name, title, scopes, inputSchema, routes }) => [
    `\`${name}\``,
    title,
    scopes.map((scope) => `\`${scope}\``).join(' or '),
    [...inputSchema.required, ...(needsKey(routes) ? ['idempotencyKey'] : [])].map((name) => `\`${name}\``).join(', '),
  ]);
  return fill('docs/agents.md', { tools: table(['tool', 'does', 'scope', 'needs'], rows) });
}
