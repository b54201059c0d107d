import { WORK_ROLES } from '../../contract/event.ts';
import type { Assignee } from '../../contract/project-answer.ts';
import { nextTurn } from '../../service/turn.ts';
import type { Storage } from '../../storage/port.ts';
import type { StoredProject } from '../read-projects.ts';
import type { TaskId, TaskRuns } from '../work/segment-tasks.ts';
import { type AssignmentPage, pageKey, pageOf, readAssignmentPage } from './assignment-item.ts';

/** How many pages are read at once. Other requests run before the next ones. */
const AT_ONCE = 32;

/**
 * Reads who works on the tasks of a project: one entry for each task, managed language and role that has somebody.
 * @param taskId the task to show; by default all
 */
export async function readAssignees(
  storage: Pick<Storage, 'readWithPayload'>,
  companyId: string,
  { id: projectId, work: { languages } }: Pick<StoredProject, 'id' | 'work'>,
  runs: TaskRuns,
  taskId?: string,
): Promise<Assignee[]> {
  const tasks = [...new Set(runs.map(([task]) => task))].filter((task) => taskId === undefined || task === taskId);
  const managed = languages.filter(({ assignment }) => assignment !== undefined);
  const pages = managed.flatMap(({ languageId, code, assignmentPages = 0 }) =>
    Array.from(tasksByPage(tasks, assignmentPages), ([page, own]) => ({
      code,
      tasks: own,
      key: pageKey({ companyId, projectId, languageId, page }),
    })),
  );
  const isShown = taskId === undefined ? undefined : (task: TaskId) => task === taskId;
  const assignees: Assignee[] = [];
  for (let first = 0; first < pages.length; first += AT_ONCE) {
    const some = pages.slice(first, first + AT_ONCE);
    const read = await Promise.all(some.map(({ key }) => readAssignmentPage(storage, key, isShown)));
    for (const [n, { code, tasks: own }] of some.entries()) assignees.push(...assigneesIn(read[n], code, own));
    await nextTurn();
  }
  if (assignees.length < 2) return assignees;
  const places = new Map(tasks.map((task, index) => [task, index]));
  const order = new Map(managed.map(({ code }, index) => [code, index]));
  const placeOf = ({ languageCode, taskId: task }: Assignee) =>
    (order.get(languageCode) ?? 0) * tasks.length + (places.get(task) ?? 0);
  return assignees.sort((one, other) => placeOf(one) - placeOf(other));
}

function tasksByPage(tasks: readonly TaskId[], pages: number): ReadonlyMap<number, readonly TaskId[]> {
  return pages === 0 ? new Map() : Map.groupBy(tasks, (task) => pageOf(task, pages));
}

/** Returns the assignees of tasks on a page, in the order of the tasks. */
function assigneesIn(page: AssignmentPage | undefined, languageCode: string, tasks: readonly TaskId[]): Assignee[] {
  return tasks.flatMap((taskId) => {
    const roles = page?.byTask.get(taskId) ?? {};
    return WORK_ROLES.flatMap((role) => {
      const memberId = roles[role]?.memberId;
      return typeof memberId === 'number' ? [{ taskId, languageCode, role, memberId }] : [];
    });
  });
}
