import { isDeepStrictEqual } from 'node:util';
import type { EventDeps, EventOrigin } from '../../idempotency/outbox.ts';
import type { Storage } from '../../storage/port.ts';
import { readHead, type StoredProject } from '../read-projects.ts';
import { readTaskRuns } from '../work/project-parts.ts';
import { REMOVED, type TaskRuns } from '../work/segment-tasks.ts';
import { rankOf, statusOf } from '../work/status-text.ts';
import { openView } from '../work/translation-view.ts';
import { changeWork, type WorkEvent, workerOrigin } from '../work/work-change.ts';
import { codeOf } from '../work/work-record.ts';
import {
  type AssignmentChange,
  assignTasks,
  needsTranslator,
  type StaffedLanguage,
  type TaskId,
  type TaskProgress,
} from './assign-tasks.ts';
import { assignmentsWrite, readAssignments } from './assignment-item.ts';

/** How many changes one commit may have: each is an event, and a transaction of DynamoDB has at most 100 items. */
const MAX_CHANGES = 40;

/**
 * Assigns the tasks of a managed language in one commit, with an event for each change. If there are many changes, the
 * language stays due. Does nothing if the project changes meanwhile.
 * @param index the index of the language in the project
 */
export async function assignLanguage(
  deps: EventDeps & Pick<EventOrigin, 'traceId'> & { readonly storage: Storage },
  companyId: string,
  project: StoredProject,
  index: number,
): Promise<void> {
  const { storage } = deps;
  const { id, record, work } = project;
  const [runs, view, head, stored] = await Promise.all([
    readTaskRuns(storage, companyId, project),
    openView(storage, { companyId, id, slots: record.payload.slots }, work),
    readHead({ storage }, project.item),
    readAssignments(storage, companyId, id, index),
  ]);
  const [requested, language] = [head?.targetLanguages[index], work.languages[index]];
  if (!runs || !requested || !language || !stored) return;
  const statuses = (await view.language(index)).map((chunk) => chunk.statuses).join('');
  const tasks = tasksOf(runs, statuses, requested);
  const { after, changes, isComplete } = assignTasks(requested, tasks, stored.byTask, MAX_CHANGES);
  const assignment = isComplete ? 'done' : 'due';
  const { writes } = await changeWork(
    deps,
    workerOrigin(deps, companyId),
    project,
    { ...work, languages: work.languages.with(index, { ...language, assignment }) },
    changes.map((change) => eventOf(change, language.languageId)),
    { isAssigning: true },
  );
  const isSame = isDeepStrictEqual(after, stored.byTask);
  await storage.commit({ writes: isSame ? writes : [...writes, await assignmentsWrite(stored, after)] });
}

/** Counts the segments of each task that are translated, and that are proofread. */
function tasksOf(runs: TaskRuns, statuses: string, language: StaffedLanguage): TaskProgress[] {
  const translatedFrom = rankOf(needsTranslator(language) ? 'translated' : 'automatic');
  const tasks = new Map<TaskId, { taskId: TaskId; total: number; translated: number; proofread: number }>();
  let start = 0;
  for (const [taskId, count] of runs) {
    const own = statuses.slice(start, start + count);
    start += count;
    if (taskId === REMOVED) continue;
    const task = tasks.get(taskId) ?? { taskId, total: 0, translated: 0, proofread: 0 };
    tasks.set(taskId, task);
    task.total += count;
    for (const character of own) {
      const rank = rankOf(statusOf(character));
      if (rank >= translatedFrom) task.translated++;
      if (rank >= rankOf('proofread')) task.proofread++;
    }
  }
  return [...tasks.values()];
}

function eventOf({ taskId, role, memberId }: AssignmentChange, languageId: number): WorkEvent {
  const task = taskId === null ? {} : { taskId };
  const data = { ...task, languageId, languageCode: codeOf(languageId), role };
  return memberId === null ? { type: 'task.unassigned', data } : { type: 'task.assigned', data: { ...data, memberId } };
}
