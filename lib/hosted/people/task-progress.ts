import type { TaskId, TaskRuns } from '../work/segment-tasks.ts';
import { rankOf, statusOf } from '../work/status-text.ts';
import { needsTranslator, type StaffedLanguage, type TaskProgress } from './assign-tasks.ts';

/**
 * Counts the segments of each task that are translated, and that are proofread.
 * @param statuses the statuses of all segments in the language
 */
export function taskProgress(runs: TaskRuns, statuses: string, language: StaffedLanguage): TaskProgress[] {
  const translatedFrom = rankOf(needsTranslator(language) ? 'translated' : 'automatic');
  const proofreadFrom = rankOf('proofread');
  const tasks = new Map<TaskId, { taskId: TaskId; total: number; translated: number; proofread: number }>();
  let start = 0;
  for (const [taskId, count] of runs) {
    const own = statuses.slice(start, start + count);
    start += count;
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
