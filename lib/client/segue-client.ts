import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type * as z from 'zod/mini';
import { BASE_URL_RULE, readBaseUrl } from '../contract/base-url.ts';
import { utc } from '../contract/date.ts';
import { LIMITS } from '../contract/limits.ts';
import { routeOf } from '../contract/routes.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import type { HttpAccount } from '../service/http-client/authorize.ts';
import type { TransportResponse } from '../service/http-client/transport.ts';
import { SegueError } from './error.ts';
import { openOperationOf, requestOperation, type SentResult, waitForOperation } from './operations.ts';
import { type Redaction, redactionOf } from './redaction.ts';
import { type ApiRequest, connect, type RequestDeps, sendRequest } from './requests.ts';
import { RESPONSES, readAs, readPage, StartedOperation } from './responses.ts';
import type {
  CallOptions,
  Description,
  Health,
  Language,
  ListOptions,
  NewProject,
  Operation,
  ProblemTypeInfo,
  Project,
  ProjectHead,
  ProjectPage,
  Receipt,
  SegueClientOptions,
  TaskOptions,
  Tokens,
  ValidProject,
  WhatToDelete,
  WriteOptions,
} from './types.ts';

const TIMEOUT_MS = 60_000;
const NEXT_CURSOR = /[?&]cursor=(\w+)[^>]*>\s*;\s*rel="next"/;

/**
 * Asks a Segue at a base URL. Every operation of the contract has a method of its name. What may be sent again is, in
 * the time there is, and nothing is carried out twice by that. Every method may throw a `SegueError`.
 */
export class SegueClient {
  readonly #account: HttpAccount;
  readonly #deps: RequestDeps;
  readonly #redaction: Redaction;
  readonly #timeoutMs: number;

  /** @throws {TypeError} where the base URL or the company id cannot be used */
  constructor(options: SegueClientOptions) {
    const { baseUrl, companyId, apiKey, scheme, timeoutMs = TIMEOUT_MS } = options;
    const { now = Date.now, sleep = setTimeout, random = Math.random } = options;
    const base = readBaseUrl(baseUrl, { protocols: ['http', 'https'] });
    if (!base) throw new TypeError(`The base URL must be ${BASE_URL_RULE}`);
    if (companyId.includes(':')) throw new TypeError('A company id has no colon');
    this.#account = { companyId, apiKey, scheme };
    this.#redaction = redactionOf(apiKey);
    this.#deps = {
      connection: connect(base, this.#account, now, this.#redaction.remember),
      now,
      sleep,
      random,
      errorOf: (failure) => new SegueError(this.#redaction.redact(failure)),
    };
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Creates a project once, and waits for it.
   * @throws {SegueError} with an `operationId` for `waitFor`, where the time is over before it can be told
   */
  async createProject(project: NewProject, options: WriteOptions = {}): Promise<Project> {
    const request = { route: routeOf('createProject'), body: this.#starting(project) };
    return this.#write(request, RESPONSES.project, ({ project: created }) => created, options);
  }

  /** Checks a project, and creates nothing. */
  validateProject(project: NewProject, options: CallOptions = {}): Promise<ValidProject> {
    const body = this.#starting(project);
    const query = { validateOnly: true } as const;
    return this.#request({ route: routeOf('createProject'), query, body, read: readAs(RESPONSES.valid) }, options);
  }

  /**
   * Lists the company's projects, newest first, without their segments: all of them, or with `limit` one page.
   * @throws {SegueError} `not-acceptable` if all do not fit into one answer; `eachProject` lists any number
   */
  listProjects({ limit, cursor, ...options }: ListOptions = {}): Promise<ProjectPage> {
    return this.#request({ route: routeOf('listProjects'), query: { limit, cursor }, read: pageIn }, options);
  }

  /** Every project of the company, newest first, without its segments. It requests pages of `limit` projects, 100 unless given. */
  async *eachProject({
    limit = LIMITS.listMax,
    ...options
  }: Omit<ListOptions, 'cursor'> = {}): AsyncGenerator<ProjectHead, void, void> {
    let page = await this.listProjects({ ...options, limit });
    yield* page.projects;
    while (page.cursor !== undefined) {
      page = await this.listProjects({ ...options, limit, cursor: page.cursor });
      yield* page.projects;
    }
  }

  /** Reads a project; with a task, the project with that task's segments only. */
  getProject(id: number, { taskId, ...options }: TaskOptions = {}): Promise<Project> {
    return this.#request(
      { route: routeOf('getProject'), pathParameter: id, query: { taskId }, read: readAs(RESPONSES.project) },
      options,
    );
  }

  /** The same by the custom id given at creation. */
  getProjectByCustomId(customId: string, { taskId, ...options }: TaskOptions = {}): Promise<Project> {
    return this.#request(
      {
        route: routeOf('getProjectByCustomId'),
        pathParameter: customId,
        query: { taskId },
        read: readAs(RESPONSES.project),
      },
      options,
    );
  }

  /**
   * Deletes a project or one task of it, for ever. A receipt that is `pending` has an operation to `waitFor`.
   * @throws {SegueError} with an `operationId` for `waitFor`, where the time is over before it can be told
   * @throws {TypeError} where it is not said which of the two, and nothing is sent
   */
  async deleteProject(id: number, what: WhatToDelete, options: WriteOptions = {}): Promise<Receipt> {
    return this.#delete({ route: routeOf('deleteProject'), pathParameter: id }, what, options);
  }

  /** The same by the custom id given at creation. */
  async deleteProjectByCustomId(customId: string, what: WhatToDelete, options: WriteOptions = {}): Promise<Receipt> {
    return this.#delete({ route: routeOf('deleteProjectByCustomId'), pathParameter: customId }, what, options);
  }

  /** Tells what became of a creation or deletion, as it stands. */
  async getOperation(operationId: string, options: CallOptions = {}): Promise<Operation> {
    return (await requestOperation(operationId, this.#deadline(options), this.#deps)).operation;
  }

  /**
   * Waits until it is known what became of a creation or deletion.
   * @param operation its id, or what has it: a `SegueError`, or a receipt that is `pending`
   * @throws {SegueError} why nothing was done; `outcome-unknown` where the time is over
   * @throws {TypeError} where it has no id
   */
  async waitFor(
    operation: string | { readonly operationId?: string | undefined },
    options: CallOptions = {},
  ): Promise<Operation> {
    const operationId = typeof operation === 'string' ? operation : operation.operationId;
    if (operationId === undefined) throw new TypeError('There is no operation to wait for');
    return waitForOperation(operationId, (done) => done, this.#deadline(options), this.#deps);
  }

  /** Lists the languages with their ids and codes. */
  listLanguages(options: CallOptions = {}): Promise<Language[]> {
    return this.#request({ route: routeOf('listLanguages'), read: readAs(RESPONSES.languages) }, options);
  }

  /** Obtains an access token and a refresh token. With `scheme: 'bearer'` the client does so by itself. */
  obtainToken(options: CallOptions = {}): Promise<Tokens> {
    const { companyId: username, apiKey: password } = this.#account;
    const body = { username, password };
    return this.#request({ route: routeOf('obtainToken'), body, read: readAs(RESPONSES.tokens) }, options);
  }

  /** Obtains the next pair of tokens for a refresh token, which works once. */
  refreshToken(token: string, options: WriteOptions = {}): Promise<Tokens> {
    const key = options.idempotencyKey ?? randomUUID();
    this.#redaction.remember(token);
    return this.#request(
      { route: routeOf('refreshToken'), body: { token }, key, read: readAs(RESPONSES.tokens) },
      options,
    );
  }

  /** Tells that Segue answers. */
  health(options: CallOptions = {}): Promise<Health> {
    return this.#request({ route: routeOf('health'), read: readAs(RESPONSES.health) }, options);
  }

  /** Tells what a problem means and what to do about it. */
  getProblemType(type: string, options: CallOptions = {}): Promise<ProblemTypeInfo> {
    return this.#request(
      { route: routeOf('getProblemType'), pathParameter: type, read: readAs(RESPONSES.problemType) },
      options,
    );
  }

  /** Describes the API in OpenAPI. */
  getDescription(options: CallOptions = {}): Promise<Description> {
    return this.#request({ route: routeOf('getDescription'), read: readAs(RESPONSES.description) }, options);
  }

  /** The description of the API as a page in HTML. */
  async getReference(options: CallOptions = {}): Promise<string> {
    const request = { route: routeOf('getReference'), accept: 'text/html', read: readPage };
    return (await this.#request(request, options)).page;
  }

  #delete(
    request: Pick<ApiRequest<Receipt>, 'route' | 'pathParameter'>,
    what: WhatToDelete,
    options: WriteOptions,
  ): Promise<Receipt> {
    // Callers without types may have left it out.
    const taskId = what === 'project' ? undefined : what?.taskId;
    if (what !== 'project' && typeof taskId !== 'string')
      throw new TypeError('Say what to delete: "project" or a task');
    const deletion = { ...request, query: { taskId }, prefer: 'return=representation' };
    return this.#write(deletion, RESPONSES.receipt, ({ receipt }) => receipt, options);
  }

  /** Sends a creation or deletion under a key, and waits for its result. */
  async #write<T>(
    request: Omit<ApiRequest<T>, 'key' | 'read'>,
    schema: z.ZodMiniType<T>,
    resultOf: (operation: Operation) => T | undefined,
    options: WriteOptions,
  ): Promise<T> {
    const deadline = this.#deadline(options);
    const key = options.idempotencyKey ?? randomUUID();
    const read = (response: TransportResponse): SentResult<T> | undefined => {
      const value = readAs(schema)(response);
      return value ? { value } : readAs(StartedOperation)(response);
    };
    const sent = await sendRequest({ ...request, key, read }, deadline, this.#deps).catch(openOperationOf);
    if ('value' in sent) return sent.value;
    return waitForOperation(sent.operationId, resultOf, deadline, this.#deps);
  }

  #request<T extends object>(request: ApiRequest<T>, options: CallOptions): Promise<T> {
    return sendRequest(request, this.#deadline(options), this.#deps);
  }

  #starting(project: NewProject): object {
    return { ...project, startDateUtc: project.startDateUtc ?? utc(this.#deps.now()) };
  }

  #deadline({ timeoutMs = this.#timeoutMs }: CallOptions): Deadline {
    return deadlineAt(this.#deps.now() + timeoutMs, this.#deps.now);
  }
}

function pageIn(answer: TransportResponse): ProjectPage | undefined {
  const projects = readAs(RESPONSES.projects)(answer);
  const [, cursor] = NEXT_CURSOR.exec(String(answer.headers['link'])) ?? [];
  return projects && { projects, ...(cursor !== undefined && { cursor }) };
}
