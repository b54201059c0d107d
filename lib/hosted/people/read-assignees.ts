import { WORK_ROLES } from '../../contract/event.ts';
import type { Assignee } from '../../contract/project-answer.ts';
import type { Storage } from '../../storage/port.ts';
import type { StoredProject } from '../read-projects.ts';
import type { TaskId } from './assign-tasks.ts';
import { readAssignments } from './assignment-item.ts';

/**
 * Reads who works on the tasks of a project: one entry for each task, managed language and role that has somebody.
 * @param tasks the ids of the tasks to show
 * @returns `undefined` if the assignments changed while they were read
 */
export async function readAssignees(
  storage: Pick<Storage, 'read' | 'readPayloadRange'>,
  companyId: string,
  { id, work: { languages } }: StoredProject,
  tasks: ReadonlySet<TaskId>,
): Promise<Assignee[] | undefined> {
  const managed = languages.flatMap(({ code, assignment }, index) => (assignment ? [{ code, index }] : []));
  const read = await Promise.all(managed.map(({ index }) => readAssignments(storage, companyId, id, index)));
  const assignees: Assignee[] = [];
  for (const [n, { code: languageCode }] of managed.entries()) {
    const stored = read[n];
    if (!stored) return undefined;
    for (const [taskId, byRole] of stored.byTask) {
      if (!tasks.has(taskId)) continue;
      for (const role of WORK_ROLES) {
        const memberId = byRole[role]?.memberId;
        if (typeof memberId === 'number') assignees.push({ taskId, languageCode, role, memberId });
      }
    }
  }
  return assignees;
}
