import type { CallContext } from '../service/port.ts';
import type { ItemReader, Write } from '../storage/port.ts';
import type { CountedProject } from './counted-project.ts';

/**
 * Counts a project that is to be created, if its company has a limit. Only then the code for it is loaded.
 * @param mayReturn whether `returnProject` may take projects back
 * @returns the counter, and the write that counts the project. If the store refuses it, another request was first: call
 *   this again
 * @throws {Problem} `quota-exceeded` if the company has reached its limit
 */
export async function countIfLimited(
  store: ItemReader,
  { companyId, projectsADay: limit, requestId: seed }: CallContext,
  { nowMs, mayReturn }: { readonly nowMs: number; readonly mayReturn: boolean },
): Promise<{ readonly counted: CountedProject; readonly write: Write } | undefined> {
  if (limit === undefined) return undefined;
  const { countProject } = await import('./daily-projects.ts');
  return countProject(store, { companyId, limit, seed, mayReturn }, nowMs);
}
