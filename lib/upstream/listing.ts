import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { companyPartition, headOf, PROJECT_PREFIX, projectSort, unpackHead } from '../idempotency/project-item.ts';
import type { Call, ProjectPage, ServiceProject } from '../service/port.ts';
import type { Foundation } from './foundation.ts';
import { asOwned, type Entered, readEntry } from './ledger.ts';
import { readOwned } from './owned.ts';

/** A page of a list is no longer than a project may be. */
const LIST_BYTES = LIMITS.bodyBytes;

/**
 * Lists what the ledger has of a company, newest first: its pages are those of the ledger, whatever pages the service
 * has, and what others have at the service is in none of them.
 */
export async function listOwned(
  foundation: Foundation,
  { limit, after }: { readonly limit: number; readonly after?: number | undefined },
  call: Call,
): Promise<ProjectPage> {
  const before = after === undefined ? undefined : projectSort(after);
  const range = { prefix: PROJECT_PREFIX, before, limit, maxBytes: LIST_BYTES };
  const { items, more } = await foundation.storage.list(companyPartition(call.companyId), range);
  const projects: ServiceProject[] = [];
  let bytes = 0;
  for (const item of items) {
    const entered = readEntry(item);
    const head = unpackHead(entered.entry) ?? (await headAtService(foundation, entered, call));
    if (head) {
      bytes += Buffer.byteLength(JSON.stringify(head));
      projects.push(head);
    }
    const isLast = item === items.at(-1);
    if (bytes >= LIST_BYTES || isLast) return { projects, ...((more || !isLast) && { next: entered.entry.id }) };
  }
  return { projects };
}

/**
 * The head of a project that is too large for the ledger. If the service's answer is unusable, the head has only what the
 * ledger knows, so that one project does not hide the list.
 * @returns `undefined` if the project was deleted since
 */
async function headAtService(
  foundation: Foundation,
  entered: Entered,
  call: Call,
): Promise<ServiceProject | undefined> {
  try {
    return headOf(await readOwned(foundation, entered, undefined, call));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    switch (error.name) {
      case 'project-not-found':
        return undefined;
      case 'upstream-invalid':
      case 'upstream-refused':
        return headOf(asOwned({ id: entered.entry.id }, entered.entry));
      default:
        throw error;
    }
  }
}
