import * as failures from '../contract/failures.ts';
import { retryRefused } from '../idempotency/commit.ts';
import { projectKey } from '../records/keys.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import type { HostedDeps } from './deps.ts';
import { findProject, type StoredProject } from './read-projects.ts';
import { readLayout, readTaskRuns } from './work/project-parts.ts';
import { type TaskRuns, tasksIn } from './work/segment-tasks.ts';
import { openView, type TranslationView } from './work/translation-view.ts';

/** The error of a reader whose project changed while it was read. */
export class ProjectChanged extends Error {
  override readonly name = 'ProjectChanged';
}

/** Reads from a project, and repeats the reading whenever it throws `ProjectChanged`. */
export function readConsistently<T>(
  deps: HostedDeps,
  ref: ProjectRef,
  call: CallContext,
  read: (project: StoredProject) => Promise<T>,
): Promise<T> {
  return retryRefused(call, async () => {
    try {
      return await read(await findProject(deps, ref, call.companyId));
    } catch (error) {
      if (error instanceof ProjectChanged) return undefined;
      throw error;
    }
  });
}

/**
 * Checks after a reading that the project's item is the same, so that its segments are the same. While translations
 * are written, an answer may show a later state of one segment than of another. But a page never follows a page of an earlier state.
 * @throws {ProjectChanged}
 */
export async function requireUnchanged(
  { storage }: HostedDeps,
  companyId: string,
  { id, version }: StoredProject,
): Promise<void> {
  const current = await storage.read(projectKey(companyId, id));
  if (current?.version !== version) throw new ProjectChanged();
}

/**
 * Reads the tasks of the segments.
 * @throws {ProjectChanged}
 * @throws {Problem} `task-not-found` if the project does not have the task
 */
export async function requireTaskRuns(
  { storage }: HostedDeps,
  project: StoredProject,
  taskId: string | undefined,
): Promise<TaskRuns> {
  const runs = await readTaskRuns(storage, project);
  if (!runs) throw new ProjectChanged();
  if (taskId !== undefined && !tasksIn(runs).has(taskId)) throw failures.taskNotFound();
  return runs;
}

/**
 * Opens the view of a project's translations.
 * @throws {ProjectChanged}
 */
export async function requireView(
  { storage }: HostedDeps,
  companyId: string,
  project: StoredProject,
): Promise<TranslationView> {
  const layout = await readLayout(storage, project);
  if (!layout) throw new ProjectChanged();
  return openView(storage, companyId, project, layout);
}
