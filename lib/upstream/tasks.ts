import { isBlank } from '../contract/fields.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { type Failure, unreadable } from './upstream-answer.ts';
import type { UpstreamProject } from './upstream-project.ts';

/**
 * Finds a task in a project.
 * @returns the project with only the segments of the task; `absent` if neither the project nor a segment has the task;
 * `unreadable` if that is uncertain, because the service does not show the segments, or a task id cannot be read
 */
export function findTask(
  project: UpstreamProject,
  taskId: string,
): { readonly kind: 'ok'; readonly project: UpstreamProject } | Failure<'absent' | 'unreadable'> {
  const own = readTaskId(project.taskId);
  const { segments } = project;
  if (!Array.isArray(segments)) return own === taskId ? { kind: 'ok', project } : TASKS_HIDDEN;
  const tasks = segments.map((segment) => taskOf(segment, own));
  const shown = [own, ...tasks];
  if (shown.includes(taskId))
    return { kind: 'ok', project: { ...project, segments: segments.filter((_, n) => tasks[n] === taskId) } };
  return shown.includes(undefined) ? TASKS_HIDDEN : { kind: 'absent', what: 'task' };
}

/** The answer of a service that does not show every task id. */
export const TASKS_HIDDEN = unreadable(
  'The upstream service does not show every task id of the project, as the contract requires. Segue cannot tell whether this task exists. A retry does not help until the upstream service is corrected.',
);

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
