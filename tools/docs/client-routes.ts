import type { Route } from '../../lib/contract/routes.ts';
import { ROUTES } from '../../lib/operations/routes.ts';

const scopeText = (scope: Route['scope']): string =>
  scope === null ? 'null' : typeof scope === 'string' ? `'${scope}'` : `[${scope.map(scopeText).join(', ')}]`;

/**
 * Returns `lib/contract/wire-routes.ts`: what the client has to know of each operation. With it, the client and the types
 * of the constructs need no code of the service.
 */
export function clientRoutes(): string {
  const entries = ROUTES.map(
    ({ id, method, path, scope }) => `  ${id}: { method: '${method}', path: '${path}', scope: ${scopeText(scope)} },\n`,
  );
  return `// Made by \`npm run docs\` from the routes in \`lib/operations\`.

/** The operations of Segue, by their ids. */
export const ROUTES = {
${entries.join('')}} as const;

export type OperationId = keyof typeof ROUTES;
`;
}
