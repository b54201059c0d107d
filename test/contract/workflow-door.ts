import { failureName, PROBLEM_TYPES } from '../../lib/contract/problems.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import { createProjectTask } from '../../lib/workflow/create-project-task.ts';
import { deleteProjectTask } from '../../lib/workflow/delete-project-task.ts';
import { TaskFailure, type TaskHandler } from '../../lib/workflow/task-handler.ts';
import { contextOf } from '../lib/http/fixture.ts';
import { type Answer, Api, byId, type Options, PROJECTS, type Target } from './api.ts';

/**
 * An API that runs commands through the tasks of workflows, and everything else over HTTP. It answers a task's result
 * as HTTP would, so that one suite can test both doors.
 */
export class WorkflowDoor extends Api {
  readonly #create: TaskHandler<unknown>;
  readonly #delete: TaskHandler<unknown>;
  /** The bytes of the project that the next task reads from S3. */
  #object: Uint8Array = new Uint8Array();

  constructor(target: Target, service: ProjectService) {
    super({ ...target, stampsStart: true, requestedBy: { kind: 'workflow', id: null } });
    const options = { now: Date.now, log: () => {}, requireCompany: async () => undefined };
    this.#create = createProjectTask(service, { ...options, readObject: async () => this.#object });
    this.#delete = deleteProjectTask(service, options);
  }

  protected override exchange(method: string, path: string, options: Options): Promise<Answer> {
    const creation = method === 'POST' && path === PROJECTS ? this.#creationOf(options) : undefined;
    if (creation) return this.#creating(creation);
    const deletion = method === 'DELETE' && isPlain(options) ? deletionOf(path) : undefined;
    if (deletion) return this.#deleting(path, deletion, options);
    return super.exchange(method, path, options);
  }

  /**
   * Returns the command of a create, or `undefined` if its headers need HTTP. Bytes are read from S3; JSON is the
   * input.
   */
  #creationOf({ headers, json, body }: Options): object | undefined {
    if (headers !== undefined && Object.keys(headers).some((name) => name !== 'accept-encoding')) return undefined;
    if (json !== undefined) return { project: JSON.parse(JSON.stringify(json)) };
    const bytes = Buffer.from(body ?? '');
    // Only HTTP has gzip.
    if (bytes[0] === 0x1f) return undefined;
    this.#object = bytes;
    return { projectFrom: { bucket: 'exports', key: 'project.json' } };
  }

  async #creating(command: object): Promise<Answer> {
    const made = await this.#run(this.#create, command);
    if ('status' in made) return made;
    const path = byId(Number(Object(made.output).projectId));
    const answer = await super.exchange('GET', path, { headers: { 'accept-encoding': 'gzip' } });
    return { ...answer, status: 201, headers: { ...answer.headers, location: this.target.url + path } };
  }

  async #deleting(path: string, command: object, { headers = {} }: Options): Promise<Answer> {
    const removed = await this.#run(this.#delete, command);
    if ('status' in removed) return removed;
    // A missing project or task is a success here. HTTP returns which of the two is missing.
    if (Object(removed.output).outcome === 'already-absent') return super.exchange('GET', path, {});
    if (headers['prefer'] !== 'return=representation') return this.#answer(204, 'none', '');
    return this.#answer(200, 'application/json', JSON.stringify(removed.output));
  }

  async #run(task: TaskHandler<unknown>, command: object): Promise<Answer | { readonly output: unknown }> {
    try {
      return { output: await task({ companyId: this.target.companyId, ...command }, contextOf()) };
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      const { faults: _, ...problem } = JSON.parse(error.message);
      const type = PROBLEM_TYPES.find((name) => failureName(name) === error.name);
      const body = { ...problem, type: `${this.target.url}/problems/${type}` };
      return this.#answer(problem.status, 'application/problem+json', JSON.stringify(body));
    }
  }

  #answer(status: number, contentType: string, text: string): Answer {
    const headers = {
      'x-request-id': contextOf().awsRequestId,
      'content-type': contentType,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    };
    return { status, headers, text, bytes: Buffer.from(text), baseUrl: this.target.url };
  }
}

/** Whether a delete has neither a body nor headers that a command cannot carry. */
function isPlain({ headers = {}, json, body }: Options): boolean {
  return json === undefined && body === undefined && Object.keys(headers).every((name) => name === 'prefer');
}

/**
 * Returns the command of a path: a project by id or custom id, and at most one task. Returns `undefined` if only HTTP
 * can refuse the path.
 */
function deletionOf(path: string): object | undefined {
  const [, id, customId, query] = /^\/segments\/projects\/(?:([1-9]\d*)|custom\/([^/?]+))(?:\?(.*))?$/.exec(path) ?? [];
  const projectId = id === undefined ? undefined : Number(id);
  const named = projectId === undefined ? decoded('customId', customId) : { projectId };
  const isFolded = ['.', '..'].includes(String(Object(named).customId));
  if (!named || isFolded || (projectId !== undefined && !Number.isSafeInteger(projectId))) return undefined;
  if (query === undefined) return { ...named, scope: 'project' };
  const task = decoded('taskId', /^taskId=([^&]*)$/.exec(query)?.[1]?.replaceAll('+', ' '));
  return task && { ...named, scope: 'task', ...task };
}

/** Returns a field with the decoded text of a path. */
function decoded(name: string, text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  try {
    return { [name]: decodeURIComponent(text) };
  } catch {
    return undefined;
  }
}
