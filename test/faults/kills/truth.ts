import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { HttpRequest } from '../../support/http.ts';
import { asObjects, type JsonObject, nowUtc, smallProject } from '../../support/projects.ts';

/** Tasks of every project; the last is never deleted by itself, so that no project runs empty. */
const TASKS = ['first task', 'second task', 'last task'] as const;
const DAY_MS = 86_400_000;

/** A project as the answers so far say that it is. */
export interface Truth {
  /** No other project has it. */
  readonly name: string;
  /** Some have none: a custom id would keep a second project with it away, whatever becomes of the key. */
  readonly customId: string | undefined;
  readonly endDateUtc: string;
  segments: readonly JsonObject[];
  state: 'absent' | 'there' | 'deleted';
  /** Known once it was created. */
  id?: number;
}

/** A request that changes a project, to be sent with its key until it is answered. */
export interface Change {
  readonly project: Truth;
  readonly key: string;
  readonly kind: 'create' | 'delete project' | 'delete task';
  readonly taskId?: string;
  /** Which of its names a deletion calls the project by. */
  readonly byCustomId: boolean;
}

export function newProject(segments: number, hasCustomId: boolean): Truth {
  return {
    name: randomUUID(),
    customId: hasCustomId ? randomUUID() : undefined,
    endDateUtc: nowUtc(30 * DAY_MS),
    segments: Array.from({ length: segments }, (_, n) => ({
      content: `${n} ${randomUUID()}`,
      taskId: TASKS[n % TASKS.length] ?? null,
    })),
    state: 'absent',
  };
}

/** The next task of a project that can be deleted. */
export function nextTask({ segments }: Truth): string | undefined {
  return TASKS.slice(0, -1).find((task) => segments.some(({ taskId }) => taskId === task));
}

/** The request, which is the same each time but for the start date, which must be now. */
export function requestOf({ project, key, kind, taskId, byCustomId }: Change): HttpRequest {
  const headers = { 'Idempotency-Key': `"${key}"` };
  if (kind !== 'create') {
    const query = taskId === undefined ? '' : `?taskId=${encodeURIComponent(taskId)}`;
    return { method: 'DELETE', path: `${pathsOf(project).at(byCustomId ? -1 : 0)}${query}`, headers };
  }
  const { name, customId, endDateUtc } = project;
  const named = customId === undefined ? { name } : { name, customId };
  const body = smallProject({ ...named, endDateUtc, segments: [...project.segments] });
  return {
    method: 'POST',
    path: '/segments/projects',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** Where a project is: by its id, once that is known, and by its custom id, where it has one. */
export function pathsOf({ id, customId }: Truth): string[] {
  const names = [...(id === undefined ? [] : [`${id}`]), ...(customId === undefined ? [] : [`custom/${customId}`])];
  return names.map((name) => `/segments/projects/${name}`);
}

/** Notes that a change was acknowledged. */
export function acknowledge({ project, kind, taskId }: Change, answer: JsonObject | undefined): void {
  if (kind === 'create') {
    assert(answer && typeof answer['id'] === 'number', 'A created project has an id');
    project.id = answer['id'];
    project.state = 'there';
    requireContent(project, answer);
  } else if (kind === 'delete project') {
    project.state = 'deleted';
  } else {
    project.segments = project.segments.filter((segment) => segment['taskId'] !== taskId);
  }
}

/** Requires an answer to be the whole project. */
export function requireContent({ id, name, customId, segments }: Truth, answer: JsonObject): void {
  assert.equal(answer['id'], id);
  assert.equal(answer['name'], name);
  assert.equal(answer['customId'] ?? undefined, customId);
  const told = asObjects(answer['segments']).map(({ content, taskId }) => ({ content, taskId }));
  assert.deepEqual(told, segments);
}
