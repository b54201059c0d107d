import { LIMITS } from '../contract/limits.ts';
import { listHeads } from '../records/list-heads.ts';
import { headOf, unpackHead } from '../records/project-head.ts';
import { deletionTime } from '../records/tombstones.ts';
import type { CallContext, ProjectPage, ProjectRef, ProjectsQuery } from '../service/port.ts';
import type { ServiceProject } from '../service/project-document.ts';
import { fits } from '../service/project-filter.ts';
import { companyOfUpstreamId } from './custom-ids.ts';
import { pollBackoff, type UpstreamDeps } from './deps.ts';
import { problemFrom, requireOk } from './failures.ts';
import { type Entry, findEntry, readLedgerItem, toOwnedProject } from './ledger.ts';
import { withPresentProgress } from './present-progress.ts';
import { findTask } from './tasks.ts';
import { busy } from './upstream-answer.ts';
import { type Fetched, fetchNamed, type UpstreamProject } from './upstream-project.ts';

/** Reads a project like `fetchSelected`. The result has the custom id that the company gave, if any. */
export async function readProject(
  deps: UpstreamDeps,
  ref: ProjectRef,
  taskId: string | undefined,
  call: CallContext,
): Promise<ServiceProject> {
  const { project, entry } = await fetchSelected(deps, ref, taskId, call);
  return toOwnedProject(project, entry);
}

/**
 * Fetches a project of the company, with its entry in the ledger.
 * @param taskId the task whose segments to return; `undefined` for all segments
 * @throws {Problem} `project-not-found`, `task-not-found`, `upstream-unavailable`, `upstream-invalid`
 */
export async function fetchSelected(
  deps: UpstreamDeps,
  ref: ProjectRef,
  taskId: string | undefined,
  call: CallContext,
): Promise<{ readonly project: UpstreamProject; readonly entry: Entry }> {
  const { entry } = requireOk(await findEntry(deps, ref, call.companyId));
  const { project } = requireOk(await fetchOwned(deps, entry, call));
  return { project: taskId === undefined ? project : requireOk(findTask(project, taskId)).project, entry };
}

/**
 * Fetches a project of the ledger from the upstream service. A new project may not be visible everywhere yet. So a
 * missing project is fetched again until `propagationMs` have passed since it entered the ledger. If the deadline of the
 * call comes before that time, the answer is `busy`.
 */
export async function fetchOwned(deps: UpstreamDeps, entry: Entry, call: CallContext): Promise<Fetched> {
  const { now, propagationMs } = deps;
  const { pause } = pollBackoff(deps, call.deadline);
  for (;;) {
    const isYoung = now() < entry.enteredAtMs + propagationMs;
    const shown = await fetchEntered(deps, entry, call);
    if (shown.kind !== 'absent' || !isYoung) return shown;
    if (!(await pause())) return busy('The upstream service does not show the new project yet.');
    // Another request may have deleted the project in the meantime.
    const entered = await findEntry(deps, { id: entry.id }, call.companyId);
    if (entered.kind === 'absent') return entered;
  }
}

async function fetchEntered(deps: UpstreamDeps, entry: Entry, call: CallContext): Promise<Fetched> {
  const { companyId } = call;
  const isUnique = companyOfUpstreamId(deps.customIdPrefix, entry.name) === companyId;
  const shown = await fetchNamed(deps.client, { ...entry, isUnique }, call);
  if (shown.kind !== 'ok' || shown.project.id === entry.id) return shown;
  // The project was found by its name. Other requests may have deleted it and given its name to a new project.
  const entered = await findEntry(deps, { id: entry.id }, companyId);
  if (entered.kind === 'absent') return entered;
  // A lagging replica may still show an earlier project of this name.
  const isDeleted = await deletionTime(deps, companyId, { id: shown.project.id });
  return isDeleted ? { kind: 'absent', what: 'project' } : shown;
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
        const { entry } = readLedgerItem(item);
        const head = unpackHead(entry);
        if (head) entries.set(head.id, entry);
        return head ?? fetchHead(deps, entry, call);
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
async function fetchHead(deps: UpstreamDeps, entry: Entry, call: CallContext): Promise<ServiceProject | undefined> {
  const shown = await fetchOwned(deps, entry, call);
  switch (shown.kind) {
    case 'ok':
      return headOf(toOwnedProject(shown.project, entry));
    case 'absent':
      return undefined;
    case 'unreadable':
    case 'refused':
      return headOf(toOwnedProject({ id: entry.id }, entry));
    case 'busy':
    case 'lost':
      throw problemFrom(shown);
  }
}
