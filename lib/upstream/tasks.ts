import { isBlank } from '../contract/fields.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { failures } from '../service/port.ts';
import { upstreamFailures } from './failures.ts';
import type { UpstreamProject } from './upstream-project.ts';

/**
 * Finds a task in a project.
 * @returns the project with only the segments of the task; `absent` if neither the project nor a segment has the task;
 * `hidden` if that is uncertain, because the service does not show the segments, or a task id cannot be read
 */
export function findTask(project: UpstreamProject, taskId: string): UpstreamProject | 'absent' | 'hidden' {
  const own = readTaskId(project.taskId);
  const { segments } = project;
  if (!Array.isArray(segments)) return own === taskId ? project : 'hidden';
  const tasks = segments.map((segment) => taskOf(segment, own));
  const shown = [own, ...tasks];
  if (!shown.includes(taskId)) return shown.includes(undefined) ? 'hidden' : 'absent';
  return { ...project, segments: segments.filter((_, n) => tasks[n] === taskId) };
}

/**
 * Returns the project with only the segments of a task.
 * @throws {Problem} `task-not-found`; `upstream-invalid` if the service does not show the project's tasks
 */
export function requireTask(project: UpstreamProject, taskId: string): UpstreamProject {
  const task = findTask(project, taskId);
  if (task === 'absent') throw failures.taskNotFound();
  if (task === 'hidden') throw upstreamFailures.tasksHidden();
  return task;
}

/** Counts the tasks of a project. Returns `null` if the service does not show the tasks. */
export function countTasks(project: UpstreamProject): number | null {
  const own = readTaskId(project.taskId);
  const { segments } = project;
  if (!Array.isArray(segments)) return null;
  const tasks = new Set([own, ...segments.map((segment) => taskOf(segment, own))]);
  tasks.delete(null);
  return tasks.has(undefined) ? null : tasks.size;
}

/**
 * Checks whether a segment may belong to a task. It does not if its task id, or else the project's own, is another one.
 */
export function mayBelongTo(taskId: string, segment: unknown, project: UpstreamProject): boolean {
  const task = taskOf(segment, readTaskId(project.taskId));
  return task === taskId || task === undefined;
}

/** Reads a task id. Returns `null` if there is none, and `undefined` if the value cannot be read. */
function readTaskId(taskId: unknown): string | null | undefined {
  if (taskId === undefined || taskId === null) return null;
  if (typeof taskId !== 'string') return undefined;
  // A request's task id is never blank, so a blank one in a response means none.
  return isBlank(taskId) ? null : taskId;
}

/** Returns the task of a segment. A segment without a task belongs to the project's own task. */
function taskOf(segment: unknown, own: string | null | undefined): string | null | undefined {
  const fields = Array.isArray(segment) ? undefined : fieldsOf(segment);
  const taskId = fields && readTaskId(fields['taskId']);
  return taskId === null ? own : taskId;
}
