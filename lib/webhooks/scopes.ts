import { Problem } from '../contract/problem.ts';
import type { Scope } from '../contract/routes.ts';
import type { Command } from '../service/command.ts';

/** What a source's messages may ask for, both unless its scopes say otherwise. */
export const SOURCE_SCOPES = ['create', 'delete'] as const satisfies readonly Scope[];
export type SourceScope = (typeof SOURCE_SCOPES)[number];

/**
 * Checks all commands of a message before any is carried out.
 * @throws {Problem} `scope-missing`
 */
export function requireScopes(
  { scopes = SOURCE_SCOPES }: { readonly scopes?: readonly SourceScope[] | undefined },
  commands: readonly Command[],
): void {
  const needed = commands.map((command): SourceScope => ('delete' in command ? 'delete' : 'create'));
  const missing = needed.find((scope) => !scopes.includes(scope));
  if (missing === undefined) return;
  throw new Problem('scope-missing', {
    detail: `The webhook source lacks the scope ${missing}, and nothing was done.`,
  });
}
