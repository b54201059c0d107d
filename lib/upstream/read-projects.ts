import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { headOf, listHeads, unpackHead } from '../idempotency/project-item.ts';
import { deletionTime } from '../idempotency/tombstones.ts';
import { type CallContext, failures, type ProjectPage, type ProjectsQuery } from '../service/port.ts';
import type { ServiceProject } from '../service/project-document.ts';
import { fits } from '../service/project-filter.ts';
import { companyOfUpstreamId } from './custom-ids.ts';
import { pollBackoff, type UpstreamDeps } from './deps.ts';
import { upstreamFailures } from './failures.ts';
import { type Entry, findEntry, type LedgerItem, readLedgerItem, toOwnedProject } from './ledger.ts';
import { withPresentProgress } from './present-progress.ts';
import { requireTask } from './tasks.ts';
import { fetchNamed, type UpstreamProject } from './upstream-project.ts';

/**
 * Reads a project for the company that owns it. The result has the custom id that the company gave, if any.
 * @param taskId the task whose segments to return; `undefined` for all segments
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
 * Fetches a project of the ledger from the upstream service. A new project may not be visible everywhere yet. So a
 * missing project is fetched again until `propagationMs` have passed since it entered the ledger.
 * @throws {Problem} `project-not-found`, `upstream-invalid`
 * @throws {Problem} `upstream-unavailable`, also if the deadline of the call comes before the end of that time
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
      // The project was found by its name. Other requests may have deleted it and given its name to a new project.
      await findEntry(deps, { id: entry.id }, call.companyId);
      // A lagging replica may still show an earlier project of this name.
      if (await deletionTime(deps, call.companyId, { id: found.id })) throw failures.projectNotFound();
      return found;
    } catch (error) {
      const isMissing = error instanceof Problem && error.name === 'project-not-found';
      if (!isMissing || !isYoung) throw error;
      if (!(await pause()))
        throw upstreamFailures.unavailable('The upstream service does not show the new project yet.');
      // Another request may have deleted the project in the meantime.
      await findEntry(deps, { id: entry.id }, call.companyId);
    }
  }
}

/**
 * Lists the projects of a company, newest first. They come from the ledger, because the upstream account may also have
 * projects of others. The present state and progress of their languages come from the upstream service.
 * @throws {Problem} `upstream-unavailable` or `upstream-invalid` if the query selects by state or progress, and the
 *   upstream service does not show them
 */
export async function listProjects(
  deps: UpstreamDeps,
  { state, done, ...query }: ProjectsQuery,
  call: CallContext,
): Promise<ProjectPage> {
  const isByProgress = state !== undefined || done !== undefined;
  /** The ledger entries whose heads the list shows. Other heads are read from the service. */
  const entries = new Map<number, Entry>();
  const limit = isByProgress ? LIMITS.listMax : query.limit;
  const page = await listHeads(
    deps.storage,
    call.companyId,
    { ...query, limit },
    {
      // The upstream service gets one request at a time.
      sizeOf: () => Number.POSITIVE_INFINITY,
      async read(item) {
        const ledgerItem = readLedgerItem(item);
        const head = unpackHead(ledgerItem.entry);
        if (head) entries.set(head.id, ledgerItem.entry);
        return head ?? fetchHead(deps, ledgerItem, call);
      },
      complete: async (_, head) => head,
    },
  );
  const all = await withPresentProgress(deps, page.projects, entries, { isRequired: isByProgress, call });
  const projects = all.filter((project) => fits(project, { state, done }));
  if (projects.length <= query.limit) return { ...page, projects };
  const shown = projects.slice(0, query.limit);
  const last = shown.at(-1);
  return { projects: shown, ...(last && { next: last.id }) };
}

/**
 * Fetches the head of a project whose head is too large for the ledger. If the response is unusable, the head has only
 * the fields in the ledger, so that the list does not fail.
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
