import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { StartedGateway } from '../../support/gateway.ts';
import type { HttpRequest } from '../../support/http.ts';
import { asObjects, type JsonObject, nowUtc, smallProject } from '../../support/projects.ts';
import { ask, creationOf, listProjects, objectIn, problemIn } from '../asking.ts';

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

function newProject(segments: number, hasCustomId: boolean): Truth {
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
function nextTask({ segments }: Truth): string | undefined {
  return TASKS.slice(0, -1).find((task) => segments.some(({ taskId }) => taskId === task));
}

/** The request, which is the same each time but for the start date, which must be now. */
function requestOf({ project, key, kind, taskId, byCustomId }: Change): HttpRequest {
  const headers = { 'Idempotency-Key': `"${key}"` };
  if (kind !== 'create') {
    const query = taskId === undefined ? '' : `?taskId=${encodeURIComponent(taskId)}`;
    return { method: 'DELETE', path: `${pathsOf(project).at(byCustomId ? -1 : 0)}${query}`, headers };
  }
  const { name, customId, endDateUtc } = project;
  const named = customId === undefined ? { name } : { name, customId };
  return creationOf(smallProject({ ...named, endDateUtc, segments: [...project.segments] }), headers);
}

/** Where a project is: by its id, once that is known, and by its custom id, where it has one. */
function pathsOf({ id, customId }: Truth): string[] {
  const names = [...(id === undefined ? [] : [`${id}`]), ...(customId === undefined ? [] : [`custom/${customId}`])];
  return names.map((name) => `/segments/projects/${name}`);
}

/** Notes that a change was acknowledged. */
function acknowledge({ project, kind, taskId }: Change, answer: JsonObject | undefined): void {
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
function requireContent({ id, name, customId, segments }: Truth, answer: JsonObject): void {
  assert.equal(answer['id'], id);
  assert.equal(answer['name'], name);
  assert.equal(answer['customId'] ?? undefined, customId);
  const told = asObjects(answer['segments']).map(({ content, taskId }) => ({ content, taskId }));
  assert.deepEqual(told, segments);
}

const SUCCESS = { create: [201], 'delete project': [200, 204], 'delete task': [200, 204] } as const;

/** What a change came to: somebody who may still be at work has its key, or it was done. */
type Outcome = 'done' | 'claimed';

/** Sends a change, and notes it where it was acknowledged. Rejects where no answer comes. */
export async function change(gateway: StartedGateway, wanted: Change): Promise<Outcome> {
  const answer = await ask(gateway, requestOf(wanted));
  if (problemIn(answer) === 'request-in-progress') return 'claimed';
  const allowed: readonly number[] = SUCCESS[wanted.kind];
  assert(allowed.includes(answer.status), `${wanted.kind} was answered ${answer.status} ${answer.text}`);
  acknowledge(wanted, answer.text === '' ? undefined : objectIn(answer));
  return 'done';
}

/** Gets a project by its id and by its custom id, and requires both to be as the answers so far say. */
export async function check(gateway: StartedGateway, project: Truth): Promise<void> {
  const status = project.state === 'there' ? 200 : 404;
  for (const path of pathsOf(project)) {
    const answer = await ask(gateway, { method: 'GET', path });
    assert.equal(answer.status, status, `${project.state} yet ${answer.status} for ${path}`);
    if (status === 200) requireContent(project, objectIn(answer));
  }
}

/** The names of all projects, by the list. */
export async function listNames(gateway: StartedGateway): Promise<string[]> {
  return (await listProjects(gateway)).map(({ name }) => String(name));
}

/** Requests that are under way at once. */
const LANES = 6;
const SMALL = 6;

const KINDS = ['create', 'create', 'create large', 'delete task', 'delete project', 'get'] as const;
const Action = fc.record({ kind: fc.constantFrom(...KINDS), pick: fc.nat(), byCustomId: fc.boolean() });
type Action = typeof Action extends fc.Arbitrary<infer Value> ? Value : never;

/** More actions than are answered before the kill. */
const MOST_ANSWERS = 24;
const ACTIONS = MOST_ANSWERS + LANES;

/** What is asked of a gateway, and when it is killed. */
export const Round = fc.record({
  actions: fc.array(Action, { minLength: ACTIONS, maxLength: ACTIONS }),
  /** So many requests are answered before. */
  answers: fc.nat(MOST_ANSWERS),
  /** And so often has the event loop turned since. */
  turns: fc.nat(30),
});
export type Round = typeof Round extends fc.Arbitrary<infer Value> ? Value : never;

/** What was under way when the gateway was killed, and which projects somebody asked to change. */
interface Aftermath {
  readonly unanswered: readonly Change[];
  readonly touched: ReadonlySet<Truth>;
  readonly answered: number;
}

/**
 * Sends a round's requests and kills the gateway among them.
 * @param projects all projects so far; new ones are added
 * @param options projects that a request without an answer may still change, which are left alone, and how many
 *   segments a large project has
 */
export async function runRound(
  gateway: StartedGateway,
  { actions, answers, turns }: Round,
  projects: Truth[],
  { held, large }: { readonly held: ReadonlySet<Truth>; readonly large: number },
): Promise<Aftermath> {
  const queue = actions.values();
  const busy = new Set(held);
  const touched = new Set<Truth>();
  const unanswered: Change[] = [];
  let answered = 0;
  let killed = false;
  const killing = Promise.withResolvers<void>();

  async function kill(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    killed = true;
    gateway.process.kill('SIGKILL');
  }

  async function run(action: Action): Promise<void> {
    const { project, wanted } = choose(action, projects, busy, large);
    busy.add(project);
    touched.add(project);
    try {
      if (!wanted) await check(gateway, project);
      else if ((await change(gateway, wanted)) === 'claimed') throw new Error('A new key was taken');
    } catch (error) {
      // A connection that breaks has a code of the system's; an answer that is wrong has not.
      if (!killed || !isBroken(error)) throw error;
      if (wanted) unanswered.push(wanted);
      return;
    }
    busy.delete(project);
    answered += 1;
    if (answered === answers) killing.resolve(kill());
  }

  async function lane(): Promise<void> {
    for (const action of queue) {
      if (killed) return;
      await run(action);
    }
  }

  const lanes = Array.from({ length: LANES }, lane);
  if (answers === 0) killing.resolve(kill());
  await Promise.all([...lanes, killing.promise]);
  return { unanswered, touched, answered };
}

/** What to do with which project; a new one is made where no old one is free. */
function choose({ kind, pick, byCustomId }: Action, projects: Truth[], busy: ReadonlySet<Truth>, large: number) {
  const free = projects.filter((project) => project.state === 'there' && !busy.has(project));
  const old = kind === 'create' || kind === 'create large' ? undefined : free[pick % free.length];
  const project = old ?? newProject(kind === 'create large' ? large : SMALL, byCustomId);
  if (!old) projects.push(project);
  return { project, wanted: old && kind === 'get' ? undefined : changeOf(kind, project, old, byCustomId) };
}

function changeOf(kind: Action['kind'], project: Truth, old: Truth | undefined, byCustomId: boolean): Change {
  const taskId = old && kind === 'delete task' ? nextTask(old) : undefined;
  const task = taskId === undefined ? undefined : ({ kind: 'delete task', taskId } as const);
  return { project, key: randomUUID(), byCustomId, kind: old ? 'delete project' : 'create', ...task };
}

function isBroken(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(error.code))
  );
}
