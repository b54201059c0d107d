import { ROUTES } from '../../lib/operations/routes.ts';

/**
 * Returns `lib/contract/wire-routes.ts`: what the client has to know of each operation. With it, the client and the types
 * of the constructs need no code of the service.
 */
export function clientRoutes(): string {
  const entries = ROUTES.map(
    ({ id, method, path, scope }) =>
      `  ${id}: { method: '${method}', path: '${path}', scope: ${scope === null ? null : `'${scope}'`} },\n`,
  );
  return `// Made by \`npm run docs\` from the routes in \`lib/operations\`.

/** The operations of Segue, by their ids. */
export const ROUTES = {
${entries.join('')}} as const;

export type OperationId = keyof typeof ROUTES;
`;
}
