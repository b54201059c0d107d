import { REMOVED, type TaskRuns } from '../work/segment-tasks.ts';
import { rankOf, statusOf } from '../work/status-text.ts';
import { needsTranslator, type StaffedLanguage, type TaskId, type TaskProgress } from './assign-tasks.ts';

/** Returns the number of slots of a project. */
export function slotsIn(runs: TaskRuns): number {
  return runs.reduce((sum, [, count]) => sum + count, 0);
}

/** Returns the slot of the first segment of each task, in the order of the tasks. It stays the same until the task is deleted. */
export function firstSlots(runs: TaskRuns): Map<TaskId, number> {
  const firsts = new Map<TaskId, number>();
  let start = 0;
  for (const [task, count] of runs) {
    if (task !== REMOVED && !firsts.has(task)) firsts.set(task, start);
    start += count;
  }
  return firsts;
}

/**
 * Counts the segments of each task that are translated, and that are proofread.
 * @param statuses the statuses of all slots of the language
 */
export function taskProgress(runs: TaskRuns, statuses: string, language: StaffedLanguage): TaskProgress[] {
  const translatedFrom = rankOf(needsTranslator(language) ? 'translated' : 'automatic');
  const proofreadFrom = rankOf('proofread');
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
      if (rank >= proofreadFrom) task.proofread++;
    }
  }
  return [...tasks.values()];
}
