import * as z from 'zod/mini';
import { parseExact } from '../contract/exact-json.ts';
import { id } from '../contract/fields.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { isBlank } from '../contract/text.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import type { TransportResponse } from '../service/http-client/transport.ts';

/**
 * A project in a response of the upstream service. Only the id is checked: the service document leaves many types and
 * values open, so every other field may be absent or hold any JSON value.
 */
export interface UpstreamProject {
  readonly id: number;
  readonly customId?: unknown;
  readonly creationDateUtc?: unknown;
  readonly taskId?: unknown;
  readonly targetLanguages?: unknown;
  readonly segments?: unknown;
  readonly [field: string]: unknown;
}

/** An id in a string is written as in a path: no sign, no leading zero, no exponent. */
const IdInString = z.pipe(z.pipe(z.string().check(z.regex(/^[1-9]\d{0,15}$/)), z.transform(Number)), id());
const ProjectId = z.union([id(), IdInString]);

/** Reads the project of a response; `undefined` if it is not an object with a usable id. */
export function readUpstreamProject({ body }: TransportResponse): UpstreamProject | undefined {
  return projectOf(parseJson(body, parseExact));
}

/**
 * Reads the projects of a list, without their segments. It skips an unreadable entry.
 * @returns `undefined` if the response is not a list
 */
export function readUpstreamProjects({ body }: TransportResponse): UpstreamProject[] | undefined {
  const entries = parseJson(body, parseExact);
  if (!Array.isArray(entries)) return undefined;
  return entries.flatMap((entry) => projectOf(entry) ?? []).map(({ segments: _, ...head }) => head);
}

function projectOf(value: unknown): UpstreamProject | undefined {
  const fields = Array.isArray(value) ? undefined : fieldsOf(value);
  const projectId = ProjectId.safeParse(fields?.['id']).data;
  return projectId === undefined ? undefined : { ...fields, id: projectId };
}

/** A task of an upstream project. */
export type UpstreamTask =
  /** The project with the task's segments only. */
  | { readonly kind: 'there'; readonly project: UpstreamProject }
  | { readonly kind: 'absent' }
  /** Unknown: the service does not show the segments, or a task id. */
  | { readonly kind: 'hidden' };

/** Finds a task. It is absent only if the project and all its segments show another task, or none. */
export function findTask(project: UpstreamProject, taskId: string): UpstreamTask {
  const own = readTaskId(project.taskId);
  const { segments } = project;
  if (!Array.isArray(segments)) return own === taskId ? { kind: 'there', project } : { kind: 'hidden' };
  const tasks = segments.map((segment) => taskOf(segment, own));
  const shown = [own, ...tasks];
  if (!shown.includes(taskId)) return { kind: shown.includes(undefined) ? 'hidden' : 'absent' };
  return { kind: 'there', project: { ...project, segments: segments.filter((_, n) => tasks[n] === taskId) } };
}

/** Counts the tasks of a project; `null` if the service does not show them. */
export function countTasks(project: UpstreamProject): number | null {
  const own = readTaskId(project.taskId);
  const { segments } = project;
  if (!Array.isArray(segments)) return null;
  const tasks = new Set([own, ...segments.map((segment) => taskOf(segment, own))]);
  tasks.delete(null);
  return tasks.has(undefined) ? null : tasks.size;
}

/** A task id, `null` for none, `undefined` if it cannot be read. */
function readTaskId(taskId: unknown): string | null | undefined {
  if (taskId === undefined || taskId === null) return null;
  if (typeof taskId !== 'string') return undefined;
  // A request's task id is never blank, so a blank one in a response means none.
  return isBlank(taskId) ? null : taskId;
}

/** The task of a segment. A segment without one belongs to the project's own. */
function taskOf(segment: unknown, own: string | null | undefined): string | null | undefined {
  const fields = Array.isArray(segment) ? undefined : fieldsOf(segment);
  const taskId = fields && readTaskId(fields['taskId']);
  return taskId === null ? own : taskId;
}
