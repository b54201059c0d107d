import { countOf } from '../contract/count.ts';
import { putScopeMissing } from '../contract/failures.ts';
import type { Scope } from '../contract/routes.ts';
import type { PutCounts, PutOutcome } from './put.ts';

/** What a put would do, as far as its scopes depend on it. */
type Effect = Pick<PutCounts, 'segments' | 'targetLanguages'> & { readonly outcome: PutOutcome };

/**
 * Checks that a caller may do what a put would do.
 * @param scopes absent if the caller may do everything
 * @throws {Problem} `scope-missing`, which says what the put would do
 */
export function requirePutScopes(
  scopes: readonly Scope[] | undefined,
  { outcome, segments, targetLanguages }: Effect,
): void {
  const requireScope = (scope: Scope, what: string) => {
    if (scopes && !scopes.includes(scope)) throw putScopeMissing(scope, what);
  };
  if (outcome === 'create') requireScope('create', 'create a project');
  const losses = [
    ...(segments.removed > 0 ? [countOf(segments.removed, 'segment')] : []),
    ...(targetLanguages.removed > 0 ? [countOf(targetLanguages.removed, 'target language')] : []),
  ];
  if (losses.length > 0) requireScope('delete', `remove ${losses.join(' and ')}`);
  if (outcome === 'update') requireScope('update', 'change an existing project');
}
