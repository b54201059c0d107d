import { LIMITS } from '../contract/limits.ts';
import type { LanguageProgress, ProgressAnswer } from '../contract/project-answer.ts';
import { type CallContext, failures, type ProjectRef } from '../service/port.ts';
import { readConsistently, requireTaskRuns, requireUnchanged } from './consistent-read.ts';
import type { HostedDeps } from './deps.ts';
import { readAssignees } from './people/read-assignees.ts';
import type { StoredProject } from './read-projects.ts';
import { countFinal, finalByTask } from './work/final-counts.ts';
import { type TaskRuns, tasksIn } from './work/segment-tasks.ts';
import { openView } from './work/translation-view.ts';
import { type LanguageWork, progressOf } from './work/work-record.ts';

/**
 * Reads the progress of a project, or of one task of it. Reads no contents; and no chunks, unless the project has so many
 * tasks that its work record does not count them.
 * @throws {Problem} `project-not-found`, `task-not-found`; `not-acceptable` if there are too many entries
 */
export function readProgress(
  deps: HostedDeps,
  ref: ProjectRef,
  taskId: string | undefined,
  call: CallContext,
): Promise<ProgressAnswer> {
  return readConsistently(deps, ref, call, async (project) => {
    const runs = await requireTaskRuns(deps, call.companyId, project, taskId);
    const { languages, segments } = project.work;
    const tasks = [...tasksIn(runs)];
    const entries = (taskId === undefined ? tasks.length : 1) * languages.length;
    if (entries > LIMITS.progressEntries) throw failures.progressTooLarge();
    const finals = await finalsByTask(deps, call.companyId, project, runs);
    const shown = tasks.flatMap(([id, total], index) => {
      if (taskId !== undefined && id !== taskId) return [];
      const counts = finals.map((final) => final[index] ?? 0);
      return { taskId: id, total: totalOf(counts, total), targetLanguages: progressList(languages, counts, total) };
    });
    const assignees = await readAssignees(deps.storage, call.companyId, project, runs, taskId);
    const [task] = taskId === undefined ? [] : shown;
    if (task) return { total: task.total, tasks: shown, languages: task.targetLanguages, assignees };
    const counts = languages.map(({ final }) => final);
    return {
      total: totalOf(counts, segments),
      tasks: shown,
      languages: progressList(languages, counts, segments),
      assignees,
    };
  });
}

/** Returns the number of final segments of each task, for each language. @throws {ProjectChanged} */
async function finalsByTask(
  deps: HostedDeps,
  companyId: string,
  project: StoredProject,
  runs: TaskRuns,
): Promise<readonly (readonly number[])[]> {
  const { id, record, work } = project;
  const known = work.languages.map((language) => finalByTask(work, language, runs));
  if (known.every((counts) => counts !== undefined)) return known;
  const view = await openView(deps.storage, { companyId, id, slots: record.payload.slots }, work);
  const finals = await Promise.all(
    work.languages.map(
      async (language, index) => known[index] ?? (await countFinal(view, runs, language, index)).byTask,
    ),
  );
  await requireUnchanged(deps, companyId, project);
  return finals;
}

function totalOf(finals: readonly number[], segments: number): number {
  return progressOf(
    finals.reduce((sum, final) => sum + final, 0),
    segments * finals.length,
  );
}

function progressList(
  languages: readonly LanguageWork[],
  finals: readonly number[],
  segments: number,
): LanguageProgress[] {
  return languages.map(({ languageId, code: languageCode }, index) => ({
    languageId,
    languageCode,
    progress: progressOf(finals[index] ?? 0, segments),
  }));
}
