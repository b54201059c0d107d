import { WORK_ROLES } from '../../contract/event.ts';
import type { Assignee } from '../../contract/project-answer.ts';
import { nextTurn } from '../../service/turn.ts';
import type { Storage } from '../../storage/port.ts';
import type { StoredProject } from '../read-projects.ts';
import type { TaskRuns } from '../work/segment-tasks.ts';
import type { TaskId } from './assign-tasks.ts';
import { type AssignmentPage, type PagePlace, pageOf, readAssignmentPage } from './assignment-item.ts';
import { firstSlots, slotsIn } from './task-progress.ts';

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
  const tasks = [...firstSlots(runs)].filter(([task]) => taskId === undefined || task === taskId);
  const pages = languages.flatMap(({ code, assignmentPages = 0 }, language) =>
    Array.from(tasksByPage(tasks, slotsIn(runs), assignmentPages), ([page, own]) => ({
      code,
      tasks: own,
      place: { companyId, projectId, language, page },
    })),
  );
  const isShown = taskId === undefined ? undefined : (task: TaskId) => task === taskId;
  const assignees: Assignee[] = [];
  for (let first = 0; first < pages.length; first += AT_ONCE) {
    const some = pages.slice(first, first + AT_ONCE);
    const read = await Promise.all(some.map(({ place }) => readAssignmentPage(storage, place, isShown)));
    for (const [n, { code, tasks: own }] of some.entries()) assignees.push(...assigneesIn(read[n], code, own));
    await nextTurn();
  }
  return assignees;
}

type FirstSlots = readonly (readonly [task: TaskId, firstSlot: number])[];

function tasksByPage(tasks: FirstSlots, slots: number, pages: number): ReadonlyMap<PagePlace['page'], FirstSlots> {
  return pages === 0 ? new Map() : Map.groupBy(tasks, ([, firstSlot]) => pageOf(firstSlot, slots, pages));
}

/** Returns the assignees of tasks on a page, in the order of the tasks. */
function assigneesIn(page: AssignmentPage | undefined, languageCode: string, tasks: FirstSlots): Assignee[] {
  return tasks.flatMap(([taskId]) => {
    const roles = page?.byTask.get(taskId) ?? {};
    return WORK_ROLES.flatMap((role) => {
      const memberId = roles[role]?.memberId;
      return typeof memberId === 'number' ? [{ taskId, languageCode, role, memberId }] : [];
    });
  });
}
