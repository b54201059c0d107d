import { fieldsOf } from '../contract/pointer.ts';
import { isBlank } from '../contract/text.ts';
import type { UpstreamProject } from './project.ts';

/** A task of a project, as far as the service shows it. */
export type ShownTask =
  /** The project with the segments of the task only. */
  | { readonly kind: 'there'; readonly project: UpstreamProject }
  | { readonly kind: 'absent' }
  /** The service does not show the segments, or the task of one of them or of the project: the task may be there. */
  | { readonly kind: 'hidden' };

/** What `taskId` says: a task, `null` for no task, `undefined` if it cannot be read. */
function readTaskId(taskId: unknown): string | null | undefined {
  if (taskId === undefined || taskId === null) return null;
  if (typeof taskId !== 'string') return undefined;
  // A request's task is never blank, so a service that writes a blank one means none.
  return isBlank(taskId) ? null : taskId;
}

/** The task that a segment belongs to. A segment without one belongs to the project's own. */
function taskOf(segment: unknown, own: string | null | undefined): string | null | undefined {
  const fields = Array.isArray(segment) ? undefined : fieldsOf(segment);
  const taskId = fields && readTaskId(fields['taskId']);
  return taskId === null ? own : taskId;
}

/** Finds a task. It is absent only if the project and every segment of it show another task, or none. */
export function findTask(project: UpstreamProject, taskId: string): ShownTask {
  const own = readTaskId(project.taskId);
  const { segments } = project;
  if (!Array.isArray(segments)) return own === taskId ? { kind: 'there', project } : { kind: 'hidden' };
  const tasks = segments.map((segment) => taskOf(segment, own));
  const shown = [own, ...tasks];
  if (!shown.includes(taskId)) return { kind: shown.includes(undefined) ? 'hidden' : 'absent' };
  return { kind: 'there', project: { ...project, segments: segments.filter((_, n) => tasks[n] === taskId) } };
}

/** How many tasks a project has; `null` if the service does not show it. */
export function countTasks(project: UpstreamProject): number | null {
  const own = readTaskId(project.taskId);
  const { segments } = project;
  if (!Array.isArray(segments)) return null;
  const tasks = new Set([own, ...segments.map((segment) => taskOf(segment, own))]);
  tasks.delete(null);
  return tasks.has(undefined) ? null : tasks.size;
}
