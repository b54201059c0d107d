import { utc } from '../../lib/contract/date.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type OperationId, ROUTES } from '../../lib/contract/wire-routes.ts';
import { type Deadline, deadlineAt } from '../../lib/service/deadline.ts';
import { type ApiRequest, type RequestDeps, readAs, sendRequest } from '../../lib/service/http-client/send-request.ts';
import type { Shape } from '../../lib/service/http-client/shapes.ts';
import type { HttpAccount } from '../../lib/service/http-client/sign-in.ts';
import { openAccount } from './account.ts';
import { deletionOf, handling, putOf, putPreview, putQuery, taskIdOf, translationsOf } from './changes.ts';
import { type Change, operationIdOf, requestOperation, sendOnce, waitForOperation } from './operations.ts';
import { eachIn, eventsIn, projectsIn, segmentsIn } from './pages.ts';
import type { Redaction } from './redaction.ts';
import { RESPONSES, readPage } from './responses.ts';
import type {
  CallOptions,
  CreateOptions,
  DailyAllowance,
  DeleteOptions,
  DeletionPlan,
  Description,
  EventSecret,
  EventsOptions,
  EventsPage,
  Health,
  Language,
  LanguageChange,
  ListOptions,
  NewProject,
  NewTranslation,
  Operation,
  PlanPutOptions,
  ProblemTypeInfo,
  Progress,
  Project,
  ProjectHead,
  ProjectPage,
  PutOptions,
  PutPreview,
  PutResult,
  Receipt,
  SegmentsOptions,
  SegmentsPage,
  SegueClientOptions,
  SegueEvent,
  TargetLanguage,
  TaskOptions,
  Tokens,
  TranslatedSegment,
  Translation,
  ValidateOptions,
  ValidProject,
  WhatToDelete,
  WriteOptions,
} from './types.ts';
import * as shapes from './wire-shapes.ts';

/** The default number of segments in a page that `eachSegment` requests. */
const SEGMENTS_AT_ONCE = 500;

/**
 * A client of Segue. It has one method for each operation of the API, with the name of the operation. The client
 * retries until its timeout. A retry never changes anything twice. Every method may throw a `SegueError`, or a
 * `TypeError` for a wrong argument.
 */
export class SegueClient {
  readonly #account: HttpAccount;
  readonly #deps: RequestDeps;
  readonly #redaction: Redaction;
  readonly #timeoutMs: number;

  /** Creates a client. It sends nothing yet. @throws {TypeError} with the name of a missing or invalid option */
  constructor(options: SegueClientOptions) {
    const { account, redaction, deps, timeoutMs } = openAccount(options);
    this.#account = account;
    this.#redaction = redaction;
    this.#deps = deps;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Creates a project once, and waits until it exists.
   * @throws {SegueError} with an `operationId` for `waitFor` if the timeout passes before the outcome is known
   */
  async createProject(project: NewProject, options: CreateOptions = {}): Promise<Project> {
    const request = { route: ROUTES.createProject, body: this.#starting(project), prefer: handling(options) };
    return this.#write({ ...request, shape: RESPONSES.project, resultOf: ({ project: created }) => created }, options);
  }

  /** Checks a project without creating it. @throws {SegueError} with the faults of the project */
  validateProject(project: NewProject, options: ValidateOptions = {}): Promise<ValidProject> {
    const fields = { query: { validateOnly: true }, body: this.#starting(project), prefer: handling(options) } as const;
    return this.#call('createProject', shapes.validProjectShape, options, fields);
  }

  /**
   * Makes an existing project be what `project` says. Equal segments keep their ids and translations. With a `revision`
   * that is too low, the put changes nothing, and the outcome is `outdated`.
   * @throws {SegueError} with an `operationId` for `waitFor` if the timeout passes before the outcome is known
   */
  async putProject(id: number, project: NewProject, options: PutOptions = {}): Promise<PutResult> {
    const target = { route: ROUTES.putProject, pathParameters: [id] };
    return this.#write(putOf(target, this.#starting(project), options), options);
  }

  /** Puts a project, like `putProject`, by its custom id. It creates the project if it does not exist. */
  async putProjectByCustomId(customId: string, project: NewProject, options: PutOptions = {}): Promise<PutResult> {
    const target = { route: ROUTES.putProjectByCustomId, pathParameters: [customId] };
    return this.#write(putOf(target, this.#starting(project), options), options);
  }

  /** Gets the plan of a put: what it would do now. Pass its `plan` to `putProject`, with the same project, task and revision. */
  planPut(id: number, project: NewProject, options: PlanPutOptions = {}): Promise<PutPreview> {
    return this.#planPut('putProject', id, project, options);
  }

  /** Gets the plan of a put, like `planPut`, by the project's custom id. */
  planPutByCustomId(customId: string, project: NewProject, options: PlanPutOptions = {}): Promise<PutPreview> {
    return this.#planPut('putProjectByCustomId', customId, project, options);
  }

  /**
   * Lists the company's projects, newest first, without their segments. It returns all projects, or one page if `limit`
   * is given.
   * @throws {SegueError} `not-acceptable` if all projects do not fit into one answer; then use `eachProject`
   */
  listProjects({ timeoutMs, ...query }: ListOptions = {}): Promise<ProjectPage> {
    return this.#request({ route: ROUTES.listProjects, query, read: projectsIn }, { timeoutMs });
  }

  /** Lists every project of the company, newest first, without segments. It requests pages of `limit` projects. */
  eachProject(options: Omit<ListOptions, 'cursor'> = {}): AsyncGenerator<ProjectHead, void, void> {
    const { limit = LIMITS.listMax } = options;
    return eachIn(
      (cursor) => this.listProjects({ ...options, limit, cursor }),
      ({ projects }) => projects,
    );
  }

  /** Gets a project. With `taskId`, the project has only the segments of that task. */
  getProject(id: number, { taskId, ...options }: TaskOptions = {}): Promise<Project> {
    return this.#call('getProject', RESPONSES.project, options, { pathParameters: [id], query: { taskId } });
  }

  /** Gets a project by its custom id. With `taskId`, the project has only the segments of that task. */
  getProjectByCustomId(customId: string, { taskId, ...options }: TaskOptions = {}): Promise<Project> {
    const fields = { pathParameters: [customId], query: { taskId } };
    return this.#call('getProjectByCustomId', RESPONSES.project, options, fields);
  }

  /**
   * Gets the segments of a project with their translations. It returns all segments, or one page if `limit` is given.
   * @throws {SegueError} `not-acceptable` if all segments do not fit into one answer; then use `eachSegment`
   * @throws {SegueError} `page-outdated` if the project has changed since the page that the cursor comes from
   */
  getSegments(id: number, options: SegmentsOptions = {}): Promise<SegmentsPage> {
    return this.#segments('getSegments', id, options);
  }

  /** Gets the segments of a project with their translations, like `getSegments`, by the project's custom id. */
  getSegmentsByCustomId(customId: string, options: SegmentsOptions = {}): Promise<SegmentsPage> {
    return this.#segments('getSegmentsByCustomId', customId, options);
  }

  /**
   * Gets every segment of a project with its translations. It requests pages of `limit` segments.
   * @param project the project's id or custom id
   * @throws {SegueError} `page-outdated` if the project changes meanwhile; then start again
   */
  eachSegment(
    project: number | { readonly customId: string },
    { limit = SEGMENTS_AT_ONCE, ...options }: Omit<SegmentsOptions, 'cursor'> = {},
  ): AsyncGenerator<TranslatedSegment, void, void> {
    const pageAt = (cursor?: string) =>
      typeof project === 'number'
        ? this.getSegments(project, { ...options, limit, cursor })
        : this.getSegmentsByCustomId(project.customId, { ...options, limit, cursor });
    return eachIn(pageAt, ({ segments }) => segments);
  }

  /** Gets the progress of a project by task and language. With `taskId`, it is the progress of that task. */
  getProgress(id: number, { taskId, ...options }: TaskOptions = {}): Promise<Progress> {
    return this.#call('getProgress', RESPONSES.progress, options, { pathParameters: [id], query: { taskId } });
  }

  /** Gets the progress of a project, like `getProgress`, by the project's custom id. */
  getProgressByCustomId(customId: string, { taskId, ...options }: TaskOptions = {}): Promise<Progress> {
    const fields = { pathParameters: [customId], query: { taskId } };
    return this.#call('getProgressByCustomId', RESPONSES.progress, options, fields);
  }

  /** Gets the plan of a deletion: what it would remove now. Pass its `plan` to `deleteProject`. */
  async planDeletion(id: number, what: WhatToDelete, options: CallOptions = {}): Promise<DeletionPlan> {
    const fields = { pathParameters: [id], query: { taskId: taskIdOf(what) } };
    return this.#call('planDeletion', shapes.deletionPlanShape, options, fields);
  }

  /** Gets the plan of a deletion, like `planDeletion`, by the project's custom id. */
  async planDeletionByCustomId(customId: string, what: WhatToDelete, options: CallOptions = {}): Promise<DeletionPlan> {
    const fields = { pathParameters: [customId], query: { taskId: taskIdOf(what) } };
    return this.#call('planDeletionByCustomId', shapes.deletionPlanShape, options, fields);
  }

  /**
   * Deletes a project or one of its tasks for ever. If the receipt says `pending`, pass the receipt to `waitFor`.
   * @throws {SegueError} with an `operationId` for `waitFor` if the timeout passes before the outcome is known
   * @throws {TypeError} if `what` is neither `project` nor an object with a task id; the client then sends nothing
   */
  async deleteProject(id: number, what: WhatToDelete, options: DeleteOptions = {}): Promise<Receipt> {
    return this.#write(deletionOf({ route: ROUTES.deleteProject, pathParameters: [id] }, what, options), options);
  }

  /** Deletes a project or one of its tasks, like `deleteProject`, by the project's custom id. */
  async deleteProjectByCustomId(customId: string, what: WhatToDelete, options: DeleteOptions = {}): Promise<Receipt> {
    const target = { route: ROUTES.deleteProjectByCustomId, pathParameters: [customId] };
    return this.#write(deletionOf(target, what, options), options);
  }

  /**
   * Writes 1 to 1,000 translations of a project, all or none. Returns them as they now stand, in the order of the
   * entries.
   * @throws {SegueError} `translation-changed` if a translation has another version than an entry’s `ifVersion`
   */
  writeTranslations(
    id: number,
    entries: readonly NewTranslation[],
    options: WriteOptions = {},
  ): Promise<readonly Translation[]> {
    const target = { route: ROUTES.writeTranslations, pathParameters: [id] };
    return this.#write(translationsOf(target, entries), options);
  }

  /** Writes translations, like `writeTranslations`, by the project's custom id. */
  writeTranslationsByCustomId(
    customId: string,
    entries: readonly NewTranslation[],
    options: WriteOptions = {},
  ): Promise<readonly Translation[]> {
    const target = { route: ROUTES.writeTranslationsByCustomId, pathParameters: [customId] };
    return this.#write(translationsOf(target, entries), options);
  }

  /** Starts or stops the work on a target language of a project. Returns the language. */
  changeLanguage(
    id: number,
    languageCode: string,
    change: LanguageChange,
    options: WriteOptions = {},
  ): Promise<TargetLanguage> {
    const request = { route: ROUTES.changeLanguage, pathParameters: [id, languageCode], body: change };
    return this.#write({ ...request, shape: RESPONSES.language, resultOf: ({ language }) => language }, options);
  }

  /** Starts or stops the work on a target language, like `changeLanguage`, by the project's custom id. */
  changeLanguageByCustomId(
    customId: string,
    languageCode: string,
    change: LanguageChange,
    options: WriteOptions = {},
  ): Promise<TargetLanguage> {
    const route = ROUTES.changeLanguageByCustomId;
    const request = { route, pathParameters: [customId, languageCode], body: change };
    return this.#write({ ...request, shape: RESPONSES.language, resultOf: ({ language }) => language }, options);
  }

  /** Gets what the company may do in a day (UTC), and what it has used today. */
  getDailyLimits(options: CallOptions = {}): Promise<DailyAllowance> {
    return this.#call('getDailyLimits', shapes.dailyAllowanceShape, options);
  }

  /**
   * Lists a page of the company's events, oldest first.
   * @throws {SegueError} `events-expired` if Segue does not keep the event of `after`
   */
  listEvents({ timeoutMs, ...query }: EventsOptions = {}): Promise<EventsPage> {
    return this.#request({ route: ROUTES.listEvents, query, read: eventsIn }, { timeoutMs });
  }

  /**
   * Yields the company's events, oldest first, up to the newest. Store the id of each event that you processed, and pass
   * the last one as `after` to continue there.
   * @throws {SegueError} `events-expired` if Segue does not keep the event of `after`
   */
  async *events(options: EventsOptions = {}): AsyncGenerator<SegueEvent, void, void> {
    for (let { after } = options; ; ) {
      const { events, more } = await this.listEvents({ ...options, after });
      yield* events;
      if (!more) return;
      after = events.at(-1)?.id;
    }
  }

  /**
   * Makes the next secret that signs the company's events. The previous secret stays live, and an older one ends.
   * @throws {SegueError} with the outcome `unknown` if the answer is lost. The client does not repeat the call, because
   * each call ends the older of two secrets
   */
  createEventSecret(options: CallOptions = {}): Promise<EventSecret> {
    return this.#call('createEventSecret', shapes.eventSecretShape, options, { changesAgain: true });
  }

  /** Gets the state of a request that changed something. */
  async getOperation(operationId: string, options: CallOptions = {}): Promise<Operation> {
    return (await requestOperation(operationId, this.#deadline(options), this.#deps)).operation;
  }

  /**
   * Waits for the end of a request that changed something.
   * @param operation the operation id, or an object that has it: a `SegueError`, or a receipt that says `pending`
   * @throws {SegueError} if the operation failed; `outcome-unknown` if the timeout passes first
   * @throws {TypeError} if the object has no operation id
   */
  async waitFor(
    operation: string | { readonly operationId?: string | undefined },
    options: CallOptions = {},
  ): Promise<Operation> {
    return waitForOperation(operationIdOf(operation), (done) => done, this.#deadline(options), this.#deps);
  }

  /** Lists the languages with their ids and codes. */
  listLanguages(options: CallOptions = {}): Promise<readonly Language[]> {
    return this.#call('listLanguages', RESPONSES.languages, options);
  }

  /** Obtains an access token and a refresh token. A client with `scheme: 'bearer'` obtains its tokens itself. */
  obtainToken(options: CallOptions = {}): Promise<Tokens> {
    const { companyId: username, apiKey: password } = this.#account;
    return this.#call('obtainToken', shapes.tokensShape, options, { body: { username, password } });
  }

  /** Exchanges a refresh token for a new pair of tokens. A refresh token works only once. */
  refreshToken(
    token: string,
    { idempotencyKey: key = crypto.randomUUID(), ...options }: WriteOptions = {},
  ): Promise<Tokens> {
    this.#redaction.remember(token);
    return this.#call('refreshToken', shapes.tokensShape, options, { body: { token }, key });
  }

  /** Checks that Segue answers. */
  health(options: CallOptions = {}): Promise<Health> {
    return this.#call('health', shapes.healthShape, options);
  }

  /** Explains a problem type: its meaning, and what to do about it. */
  getProblemType(type: string, options: CallOptions = {}): Promise<ProblemTypeInfo> {
    return this.#call('getProblemType', shapes.problemTypeInfoShape, options, { pathParameters: [type] });
  }

  /** Gets the description of the API in OpenAPI. */
  getDescription(options: CallOptions = {}): Promise<Description> {
    return this.#call('getDescription', RESPONSES.description, options);
  }

  /** Gets the description of the API as an HTML page. */
  async getReference(options: CallOptions = {}): Promise<string> {
    const request = { route: ROUTES.getReference, accept: 'text/html', read: readPage };
    return (await this.#request(request, options)).page;
  }

  #planPut(
    id: 'putProject' | 'putProjectByCustomId',
    pathParameter: number | string,
    project: NewProject,
    options: PlanPutOptions,
  ): Promise<PutPreview> {
    const query = { ...putQuery(options), validateOnly: true };
    const fields = { pathParameters: [pathParameter], query, body: this.#starting(project), prefer: handling(options) };
    return this.#call(id, putPreview, options, fields);
  }

  #segments(
    id: 'getSegments' | 'getSegmentsByCustomId',
    pathParameter: number | string,
    { timeoutMs, ...query }: SegmentsOptions,
  ): Promise<SegmentsPage> {
    const request = { route: ROUTES[id], pathParameters: [pathParameter], query, read: segmentsIn };
    return this.#request(request, { timeoutMs });
  }

  #write<T>(change: Change<T>, options: WriteOptions): Promise<T> {
    return sendOnce(change, options, this.#deadline(options), this.#deps);
  }

  #call<T extends object>(
    id: OperationId,
    shape: Shape<T>,
    options: CallOptions,
    fields: Omit<ApiRequest<T>, 'route' | 'read'> = {},
  ): Promise<T> {
    return this.#request({ route: ROUTES[id], ...fields, read: readAs(shape) }, options);
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
