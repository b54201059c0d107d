import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type * as z from 'zod/mini';
import { BASE_URL_RULE, readBaseUrl } from '../contract/base-url.ts';
import { utc } from '../contract/date.ts';
import { LIMITS } from '../contract/limits.ts';
import { routeOf } from '../contract/routes.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import type { UpstreamAccount } from '../upstream/credentials.ts';
import type { Answer } from '../upstream/transport.ts';
import { ANSWERS, as, asPage, Started } from './answers.ts';
import { connect } from './connection.ts';
import { SegueError } from './error.ts';
import { askOperation, operationLeft, type Sent, waitForOperation } from './operations.ts';
import { type Redaction, redactionOf } from './redaction.ts';
import { type RequestsOptions, request, type Wanted } from './requests.ts';
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
  readonly #account: UpstreamAccount;
  readonly #options: RequestsOptions;
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
    this.#options = {
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
    const wanted = { route: routeOf('createProject'), body: this.#starting(project) };
    return this.#write(wanted, ANSWERS.project, ({ project: created }) => created, options);
  }

  /** Checks a project, and creates nothing. */
  validateProject(project: NewProject, options: CallOptions = {}): Promise<ValidProject> {
    const body = this.#starting(project);
    const query = { validateOnly: true } as const;
    return this.#request({ route: routeOf('createProject'), query, body, read: as(ANSWERS.valid) }, options);
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
      { route: routeOf('getProject'), place: id, query: { taskId }, read: as(ANSWERS.project) },
      options,
    );
  }

  /** The same by the custom id given at creation. */
  getProjectByCustomId(customId: string, { taskId, ...options }: TaskOptions = {}): Promise<Project> {
    return this.#request(
      { route: routeOf('getProjectByCustomId'), place: customId, query: { taskId }, read: as(ANSWERS.project) },
      options,
    );
  }

  /**
   * Deletes a project or one task of it, for ever. A receipt that is `pending` has an operation to `waitFor`.
   * @throws {SegueError} with an `operationId` for `waitFor`, where the time is over before it can be told
   * @throws {TypeError} where it is not said which of the two, and nothing is sent
   */
  async deleteProject(id: number, what: WhatToDelete, options: WriteOptions = {}): Promise<Receipt> {
    return this.#delete({ route: routeOf('deleteProject'), place: id }, what, options);
  }

  /** The same by the custom id given at creation. */
  async deleteProjectByCustomId(customId: string, what: WhatToDelete, options: WriteOptions = {}): Promise<Receipt> {
    return this.#delete({ route: routeOf('deleteProjectByCustomId'), place: customId }, what, options);
  }

  /** Tells what became of a creation or deletion, as it stands. */
  async getOperation(operationId: string, options: CallOptions = {}): Promise<Operation> {
    return (await askOperation(operationId, this.#deadline(options), this.#options)).operation;
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
    return waitForOperation(operationId, (done) => done, this.#deadline(options), this.#options);
  }

  /** Lists the languages with their ids and codes. */
  listLanguages(options: CallOptions = {}): Promise<Language[]> {
    return this.#request({ route: routeOf('listLanguages'), read: as(ANSWERS.languages) }, options);
  }

  /** Obtains an access token and a refresh token. With `scheme: 'bearer'` the client does so by itself. */
  obtainToken(options: CallOptions = {}): Promise<Tokens> {
    const { companyId: username, apiKey: password } = this.#account;
    const body = { username, password };
    return this.#request({ route: routeOf('obtainToken'), body, read: as(ANSWERS.tokens) }, options);
  }

  /** Obtains the next pair of tokens for a refresh token, which works once. */
  refreshToken(token: string, options: WriteOptions = {}): Promise<Tokens> {
    const key = options.idempotencyKey ?? randomUUID();
    this.#redaction.remember(token);
    return this.#request({ route: routeOf('refreshToken'), body: { token }, key, read: as(ANSWERS.tokens) }, options);
  }

  /** Tells that Segue answers. */
  health(options: CallOptions = {}): Promise<Health> {
    return this.#request({ route: routeOf('health'), read: as(ANSWERS.health) }, options);
  }

  /** Tells what a problem means and what to do about it. */
  getProblemType(type: string, options: CallOptions = {}): Promise<ProblemTypeInfo> {
    return this.#request({ route: routeOf('getProblemType'), place: type, read: as(ANSWERS.problemType) }, options);
  }

  /** Describes the API in OpenAPI. */
  getDescription(options: CallOptions = {}): Promise<Description> {
    return this.#request({ route: routeOf('getDescription'), read: as(ANSWERS.description) }, options);
  }

  /** The description of the API as a page in HTML. */
  async getReference(options: CallOptions = {}): Promise<string> {
    const wanted = { route: routeOf('getReference'), accept: 'text/html', read: asPage };
    return (await this.#request(wanted, options)).page;
  }

  #delete(
    wanted: Pick<Wanted<Receipt>, 'route' | 'place'>,
    what: WhatToDelete,
    options: WriteOptions,
  ): Promise<Receipt> {
    // Callers without types may have left it out.
    const taskId = what === 'project' ? undefined : what?.taskId;
    if (what !== 'project' && typeof taskId !== 'string')
      throw new TypeError('Say what to delete: "project" or a task');
    const asked = { ...wanted, query: { taskId }, prefer: 'return=representation' };
    return this.#write(asked, ANSWERS.receipt, ({ receipt }) => receipt, options);
  }

  /** Sends what is to be carried out once. What is left open is waited for. */
  async #write<T>(
    wanted: Omit<Wanted<T>, 'key' | 'read'>,
    schema: z.ZodMiniType<T>,
    resultOf: (operation: Operation) => T | undefined,
    options: WriteOptions,
  ): Promise<T> {
    const deadline = this.#deadline(options);
    const key = options.idempotencyKey ?? randomUUID();
    const read = (answer: Answer): Sent<T> | undefined => {
      const value = as(schema)(answer);
      return value ? { value } : as(Started)(answer);
    };
    const sent = await request({ ...wanted, key, read }, deadline, this.#options).catch(operationLeft);
    if ('value' in sent) return sent.value;
    return waitForOperation(sent.operationId, resultOf, deadline, this.#options);
  }

  #request<T extends object>(wanted: Wanted<T>, options: CallOptions): Promise<T> {
    return request(wanted, this.#deadline(options), this.#options);
  }

  #starting(project: NewProject): object {
    return { ...project, startDateUtc: project.startDateUtc ?? utc(this.#options.now()) };
  }

  #deadline({ timeoutMs = this.#timeoutMs }: CallOptions): Deadline {
    return deadlineAt(this.#options.now() + timeoutMs, this.#options.now);
  }
}

function pageIn(answer: Answer): ProjectPage | undefined {
  const projects = as(ANSWERS.projects)(answer);
  const [, cursor] = NEXT_CURSOR.exec(String(answer.headers['link'])) ?? [];
  return projects && { projects, ...(cursor !== undefined && { cursor }) };
}
