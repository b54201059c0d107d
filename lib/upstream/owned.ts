import { Problem } from '../contract/problem.ts';
import { deletionTime } from '../idempotency/tombstones.ts';
import { failures } from '../service/failures.ts';
import type { Call, ServiceProject } from '../service/port.ts';
import { upstreamFailures } from './failures.ts';
import type { Foundation } from './foundation.ts';
import { asOwned, type Entered, findEntry } from './ledger.ts';
import { companyInName } from './names.ts';
import { patience } from './patience.ts';
import type { UpstreamProject } from './project.ts';
import { getProject } from './reading.ts';

/**
 * Reads a project from the service as its owner knows it.
 * @throws {Problem} `project-not-found`, `task-not-found`
 */
export async function readOwned(
  foundation: Foundation,
  entered: Entered,
  taskId: string | undefined,
  call: Call,
): Promise<ServiceProject> {
  return asOwned(await readEntered(foundation, entered, taskId, call), entered.entry);
}

/**
 * Reads a project of the ledger as the service gives it. One that was created just now may not be found at once: then it
 * is looked for again, and until the settle time is over its absence is no proof.
 * @throws {Problem} `project-not-found`, `task-not-found`, `upstream-unavailable`
 */
export async function readEntered(
  foundation: Foundation,
  { entry }: Entered,
  taskId: string | undefined,
  call: Call,
): Promise<UpstreamProject> {
  const { client, now, sleep, settleMs, mark } = foundation;
  const { pause } = patience(sleep, call.deadline);
  const at = { ...entry, isMarked: companyInName(mark, entry.name) === call.companyId };
  for (;;) {
    const isYoung = now() < entry.enteredAtMs + settleMs;
    try {
      const found = await getProject(client, at, taskId, call);
      if (found.id !== entry.id) await requireSame(foundation, entry.id, found, call);
      return found;
    } catch (error) {
      const isMissing = error instanceof Problem && error.name === 'project-not-found';
      if (!isMissing || !isYoung) throw error;
      if (!(await pause())) throw upstreamFailures.unavailable('The service does not show the new project yet.');
      // Another request may have deleted it meanwhile.
      await findEntry(foundation, { id: entry.id }, call.companyId);
    }
  }
}

/**
 * Checks a project that was found by its name, because its id is not in the ledger: the service may have answered the
 * creation with a wrong id, or the name may have belonged to more than one project.
 * @throws {Problem} `project-not-found`
 */
async function requireSame(foundation: Foundation, id: number, found: UpstreamProject, call: Call): Promise<void> {
  // A deletion and a creation by other requests may have passed the name on to a new project meanwhile.
  await findEntry(foundation, { id }, call.companyId);
  // A lagging replica may still show an earlier project of this name.
  const deletion = await deletionTime(foundation, call.companyId, { id: found.id });
  if (deletion) throw failures.projectNotFound();
}
