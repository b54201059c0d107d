import { Problem } from '../contract/problem.ts';
import { headOf, listHeads, type PageRequest, unpackHead } from '../idempotency/project-item.ts';
import { deletionTime } from '../idempotency/tombstones.ts';
import { type CallContext, failures, type ProjectPage } from '../service/port.ts';
import type { ServiceProject } from '../service/project-document.ts';
import { companyOfUpstreamId } from './custom-ids.ts';
import { pollBackoff, type UpstreamDeps } from './deps.ts';
import { upstreamFailures } from './failures.ts';
import { findEntry, type LedgerItem, readLedgerItem, toOwnedProject } from './ledger.ts';
import { requireTask } from './tasks.ts';
import { fetchNamed, type UpstreamProject } from './upstream-project.ts';

/**
 * Reads a project as its owner knows it: with the owner's custom id.
 * @param taskId for the segments of one task only
 * @throws {Problem} `project-not-found`, `task-not-found`, `upstream-unavailable`, `upstream-invalid`
 */
export async function readProject(
  deps: UpstreamDeps,
  ledgerItem: LedgerItem,
  taskId: string | undefined,
  call: CallContext,
): Promise<ServiceProject> {
  const project = await fetchOwned(deps, ledgerItem, call);
  return toOwnedProject(taskId === undefined ? project : requireTask(project, taskId), ledgerItem.entry);
}

/**
 * Fetches a project of the ledger. While a new project may not be visible everywhere yet, an absence is no proof: then it
 * is fetched again until the time is over.
 * @throws {Problem} `project-not-found`, `upstream-unavailable`, `upstream-invalid`
 */
export async function fetchOwned(
  deps: UpstreamDeps,
  { entry }: LedgerItem,
  call: CallContext,
): Promise<UpstreamProject> {
  const { client, now, propagationMs, customIdPrefix } = deps;
  const { pause } = pollBackoff(deps, call.deadline);
  const isUnique = companyOfUpstreamId(customIdPrefix, entry.name) === call.companyId;
  for (;;) {
    const isYoung = now() < entry.enteredAtMs + propagationMs;
    try {
      const found = await fetchNamed(client, { ...entry, isUnique }, call);
      if (found.id === entry.id) return found;
      // It was found by its name. Other requests may have deleted the project and given its name to a new one.
      await findEntry(deps, { id: entry.id }, call.companyId);
      // A lagging replica may still show an earlier project of this name.
      if (await deletionTime(deps, call.companyId, { id: found.id })) throw failures.projectNotFound();
      return found;
    } catch (error) {
      const isMissing = error instanceof Problem && error.name === 'project-not-found';
      if (!isMissing || !isYoung) throw error;
      if (!(await pause()))
        throw upstreamFailures.unavailable('The upstream service does not show the new project yet.');
      // Another request may have deleted it meanwhile.
      await findEntry(deps, { id: entry.id }, call.companyId);
    }
  }
}

/** Lists a company's projects from the ledger, newest first. The upstream account may have other projects too. */
export function listProjects(deps: UpstreamDeps, page: PageRequest, call: CallContext): Promise<ProjectPage> {
  return listHeads(deps.storage, call.companyId, page, async (item) => {
    const ledgerItem = readLedgerItem(item);
    return unpackHead(ledgerItem.entry) ?? fetchHead(deps, ledgerItem, call);
  });
}

/**
 * Fetches the head of a project that is too large for the ledger. If the service's response is unusable, the head has
 * only what the ledger knows, so that one project does not break the list.
 * @returns `undefined` if the project has been deleted
 */
async function fetchHead(
  deps: UpstreamDeps,
  ledgerItem: LedgerItem,
  call: CallContext,
): Promise<ServiceProject | undefined> {
  const { entry } = ledgerItem;
  try {
    return headOf(await readProject(deps, ledgerItem, undefined, call));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    switch (error.name) {
      case 'project-not-found':
        return undefined;
      case 'upstream-invalid':
      case 'upstream-refused':
        return headOf(toOwnedProject({ id: entry.id }, entry));
      default:
        throw error;
    }
  }
}
