import * as failures from '../contract/failures.ts';
import { LIMITS } from '../contract/limits.ts';
import type { LanguageProgress, ProgressAnswer } from '../contract/project-answer.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import { eachInTurns } from '../service/turn.ts';
import { readConsistently, requireTaskRuns, requireUnchanged, requireView } from './consistent-read.ts';
import type { HostedDeps } from './deps.ts';
import { readAssignees } from './people/read-assignees.ts';
import type { StoredProject } from './read-projects.ts';
import { finalByTask, finalCounter, finalOfTask } from './work/final-counts.ts';
import { type TaskRuns, tasksIn } from './work/segment-tasks.ts';
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
    const runs = await requireTaskRuns(deps, project, taskId);
    const { languages, segments } = project.work;
    const all = tasksIn(runs);
    const entries = (taskId === undefined ? all.size : 1) * languages.length;
    if (entries > LIMITS.progressEntries) throw failures.progressTooLarge();
    const tasks = taskId === undefined ? [...all] : [[taskId, all.get(taskId) ?? 0] as const];
    const finals = await finalsOf(deps, call.companyId, project, { runs, taskId });
    const shown: ProgressAnswer['tasks'] = [];
    const show = ([id, total]: (typeof tasks)[number]) => {
      const counts = finals.map((final) => final[shown.length] ?? 0);
      shown.push({
        taskId: id,
        total: totalOf(counts, total),
        targetLanguages: progressList(languages, counts, total),
      });
    };
    await eachInTurns(tasks, show, () => languages.length);
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

/**
 * Returns the numbers of final segments for each language: of each task, in the order of the tasks, or of one task.
 * @throws {ProjectChanged}
 */
async function finalsOf(
  deps: HostedDeps,
  companyId: string,
  project: StoredProject,
  { runs, taskId }: { readonly runs: TaskRuns; readonly taskId: string | undefined },
): Promise<readonly (readonly number[])[]> {
  const { work } = project;
  const index = taskId === undefined ? 0 : [...tasksIn(runs).keys()].indexOf(taskId);
  const total = (taskId !== undefined && tasksIn(runs).get(taskId)) || 0;
  const finals = work.languages.map((language): readonly number[] | undefined => {
    if (taskId === undefined) return finalByTask(work, language, runs);
    const final = finalOfTask(work, language, { index, total });
    return final === undefined ? undefined : [final];
  });
  if (!finals.includes(undefined)) return finals.map((final) => final ?? []);
  const count = finalCounter(await requireView(deps, companyId, project), runs, taskId);
  const counted: (readonly number[])[] = [];
  for (const [n, language] of work.languages.entries()) {
    const known = finals[n];
    if (known) counted.push(known);
    else {
      const all = await count(language);
      counted.push(taskId === undefined ? all : [all[index] ?? 0]);
    }
  }
  await requireUnchanged(deps, companyId, project);
  return counted;
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
