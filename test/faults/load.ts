import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { HttpRequest } from '../support/http.ts';
import { asObject, asObjects, type JsonObject, nowUtc, smallProject } from '../support/projects.ts';
import { ask, type Caller, creationOf, listEvents, objectIn, problemIn } from './asking.ts';

/** The tasks of every project. The last task is never deleted alone, so that no project loses all segments. */
const TASKS = ['first task', 'second task', 'last task'] as const;
const DAY_MS = 86_400_000;

/** A project as the acknowledged answers describe it. */
export interface KnownProject {
  /** A name that no other project has. */
  readonly name: string;
  /** The custom id. Some projects have none, because a custom id alone prevents a second project. */
  readonly customId: string | undefined;
  readonly endDateUtc: string;
  segments: readonly JsonObject[];
  state: 'absent' | 'there' | 'deleted';
  /** The types of the events of the acknowledged changes, in their order. */
  readonly events: string[];
  /** The project's id, once it was created. */
  id?: number;
}

/** A request that changes a project. It is sent with its key until it is answered. */
export interface Change {
  readonly project: KnownProject;
  readonly key: string;
  readonly kind: 'create' | 'put' | 'delete project' | 'delete task';
  /** The segments that the project has after a put. */
  readonly segments?: readonly JsonObject[];
  readonly taskId?: string;
  /** Whether a put or a deletion names the project by its custom id. */
  readonly byCustomId: boolean;
}

/** Returns a project that is not created yet. */
function newProject(segments: number, hasCustomId: boolean): KnownProject {
  return {
    name: randomUUID(),
    customId: hasCustomId ? randomUUID() : undefined,
    endDateUtc: nowUtc(30 * DAY_MS),
    segments: Array.from({ length: segments }, (_, n) => ({
      content: `${n} ${randomUUID()}`,
      taskId: TASKS[n % TASKS.length] ?? null,
    })),
    state: 'absent',
    events: [],
  };
}

/** Returns the next task that can be deleted. */
function nextTask({ segments }: KnownProject): string | undefined {
  return TASKS.slice(0, -1).find((task) => segments.some(({ taskId }) => taskId === task));
}

/** Returns the segments after a put: the first has another content, the last is new, and the others stay. */
function nextSegments({ segments: [first, ...others] }: KnownProject): JsonObject[] {
  const added = { content: randomUUID(), taskId: TASKS.at(-1) ?? null };
  return [...(first ? [{ ...first, content: randomUUID() }] : []), ...others, added];
}

/**
 * Returns the request of a change. Each attempt at a create has a new start date, because it must be the current time.
 */
export function requestOf({
  project,
  key,
  kind,
  taskId,
  byCustomId,
  segments = project.segments,
}: Change): HttpRequest {
  const headers = { 'Idempotency-Key': `"${key}"` };
  const path = pathsOf(project).at(byCustomId ? -1 : 0);
  if (kind === 'delete project' || kind === 'delete task') {
    const query = taskId === undefined ? '' : `?taskId=${encodeURIComponent(taskId)}`;
    return { method: 'DELETE', path: `${path}${query}`, headers };
  }
  const { name, customId, endDateUtc } = project;
  const named = customId === undefined ? { name } : { name, customId };
  const creation = creationOf(smallProject({ ...named, endDateUtc, segments: [...segments] }), headers);
  return kind === 'create' ? creation : { ...creation, method: 'PUT', path: `${path}` };
}

/** Returns the paths of a project: by its id if known, and by its custom id if it has one. */
function pathsOf({ id, customId }: KnownProject): string[] {
  const names = [...(id === undefined ? [] : [`${id}`]), ...(customId === undefined ? [] : [`custom/${customId}`])];
  return names.map((name) => `/segments/projects/${name}`);
}

/** Records an acknowledged change. */
function acknowledge({ project, kind, taskId, segments }: Change, answer: JsonObject | undefined): void {
  project.events.push(eventOf(kind, project));
  if (kind === 'create' || kind === 'put') {
    assert(answer && typeof answer['id'] === 'number', 'A created project has an id');
    project.id ??= answer['id'];
    project.segments = segments ?? project.segments;
    project.state = 'there';
    requireContent(project, answer);
  } else if (kind === 'delete project') {
    project.state = 'deleted';
  } else {
    project.segments = project.segments.filter((segment) => segment['taskId'] !== taskId);
  }
}

/** Returns the type of the event that reports a change of a project. */
function eventOf(kind: Change['kind'], { state }: KnownProject): string {
  if (kind === 'create' || kind === 'put') return state === 'absent' ? 'project.created' : 'project.updated';
  return kind === 'delete project' ? 'project.deleted' : 'task.deleted';
}

/** Requires that an answer is the complete project. */
function requireContent({ id, name, customId, segments }: KnownProject, answer: JsonObject): void {
  assert.equal(answer['id'], id);
  assert.equal(answer['name'], name);
  assert.equal(answer['customId'] ?? undefined, customId);
  assert.deepEqual(segmentsIn(answer), segments);
}

function segmentsIn(answer: JsonObject): JsonObject[] {
  return asObjects(answer['segments']).map(({ content = null, taskId = null }) => ({ content, taskId }));
}

const SUCCESS = { create: [201], put: [200, 201], 'delete project': [200, 204], 'delete task': [200, 204] } as const;

/** The result of a change: it was done, or another attempt may still hold its key. */
type Outcome = 'done' | 'claimed';

/**
 * Sends a change, and records it if it is acknowledged.
 * @throws if no answer comes, or a wrong one
 */
export async function change(gateway: Caller, wanted: Change): Promise<Outcome> {
  const answer = await ask(gateway, requestOf(wanted));
  if (problemIn(answer) === 'request-in-progress') return 'claimed';
  const allowed: readonly number[] = SUCCESS[wanted.kind];
  assert(allowed.includes(answer.status), `${wanted.kind} was answered ${answer.status} ${answer.text}`);
  acknowledge(wanted, answer.text === '' ? undefined : objectIn(answer));
  return 'done';
}

/** Reads a project by id and by custom id, and requires the content of the acknowledged answers. */
export async function check(gateway: Caller, project: KnownProject): Promise<void> {
  const status = project.state === 'there' ? 200 : 404;
  for (const path of pathsOf(project)) {
    const answer = await ask(gateway, { method: 'GET', path });
    assert.equal(answer.status, status, `${project.state} yet ${answer.status} for ${path}`);
    if (status === 200) requireContent(project, objectIn(answer));
  }
}

/** Requires that a put that was not answered has changed the whole project, or nothing. */
export async function checkUnanswered(gateway: Caller, { kind, project, segments }: Change): Promise<void> {
  const [path] = pathsOf(project);
  if (kind !== 'put' || project.state !== 'there' || !segments || path === undefined) return;
  const found = segmentsIn(objectIn(await ask(gateway, { method: 'GET', path })));
  assert(
    [project.segments, segments].some((each) => isDeepStrictEqual(each, found)),
    'A put was applied by halves',
  );
}

/** Requires that the feed has each acknowledged change of these projects once, in the order of the changes. */
export async function checkEvents(gateway: Caller, projects: readonly KnownProject[]): Promise<void> {
  const events = (await listEvents(gateway)).map(({ type, sequence, data }) => ({
    id: asObject(data)['projectId'],
    change: `${sequence} ${type}`,
  }));
  const found = Map.groupBy(events, ({ id }) => id);
  for (const project of projects.filter(({ state }) => state !== 'absent')) {
    const changes = (found.get(project.id) ?? []).map(({ change }) => change);
    assert.deepEqual(
      changes,
      project.events.map((type, n) => `${n + 1} ${type}`),
    );
  }
  assert.equal(found.size, projects.filter(({ state }) => state !== 'absent').length);
}

const SMALL = 6;

/** The kind of a request about a project. */
export type Kind = Change['kind'] | 'create large' | 'get';

interface Choice {
  readonly kind: Kind;
  /** A number that selects one of the free projects. */
  readonly pick: number;
  readonly byCustomId: boolean;
}

/**
 * Chooses a project for a request, or adds a new one if none is free.
 * @param projects all projects so far
 * @param busy the projects of requests in flight
 * @param large the number of segments of a large project
 * @returns the project, and its change unless the request only reads
 */
export function choose(
  { kind, pick, byCustomId }: Choice,
  projects: KnownProject[],
  busy: ReadonlySet<KnownProject>,
  large: number,
) {
  const isCreation = kind === 'create' || kind === 'create large';
  const free = isCreation ? [] : projects.filter((project) => project.state === 'there' && !busy.has(project));
  const old = free[pick % free.length];
  const project = old ?? newProject(kind === 'create large' ? large : SMALL, byCustomId);
  if (!old) projects.push(project);
  return { project, wanted: old && kind === 'get' ? undefined : changeOf(kind, project, old, byCustomId) };
}

function changeOf(kind: Kind, project: KnownProject, old: KnownProject | undefined, byCustomId: boolean): Change {
  const taskId = old && kind === 'delete task' ? nextTask(old) : undefined;
  const task = taskId === undefined ? undefined : ({ kind: 'delete task', taskId } as const);
  const put = { kind: 'put', ...(old && { segments: nextSegments(old) }) } as const;
  // A put by id creates nothing.
  const isPut = kind === 'put' && (old !== undefined || byCustomId);
  const own = isPut ? put : task;
  return { project, key: randomUUID(), byCustomId, kind: old ? 'delete project' : 'create', ...own };
}
