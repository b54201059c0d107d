import { createHash } from 'node:crypto';
import type { LanguageState } from '../contract/language-states.ts';
import type { LookupName } from '../contract/lookups.ts';
import type { PageCursor } from '../contract/page-cursor.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { TargetLanguageAnswer } from '../contract/project-answer.ts';
import type { Receipt, RequestedBy } from '../contract/receipt.ts';
import type { Scope } from '../contract/routes.ts';
import type { TranslationStatus } from '../contract/translation-status.ts';
import type { CheckedTranslation, LanguageChange, WrittenTranslation } from '../contract/translations.ts';
import type { DailyAllowance } from './daily-allowance.ts';
import type { Deadline } from './deadline.ts';
import type { EncodedText } from './encoded-text.ts';
import type { ProjectDocument, ServiceProject } from './project-document.ts';
import type { OutdatedPut, PutPlan, PutRequest, PutResult } from './put.ts';
import type { PlannedRemoval, Removal } from './removal-plan.ts';
import type { TranslationEngine } from './translation-engine.ts';

/** A reference to a project: its id or its custom id. */
export type ProjectRef = { readonly id: number } | { readonly customId: string };

/** The caller of a service method, and the deadline. No field comes from the body or path of a request. */
export interface CallContext {
  readonly companyId: string;
  readonly requestId: string;
  /** The trace of the call; by default, the one that `requestId` starts. */
  readonly traceId?: string | undefined;
  /** The credentials that authenticated the caller. */
  readonly requestedBy: RequestedBy;
  /** What the caller may do; absent if everything. A put checks it, because what it needs depends on what it does. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The version that the record of the caller's API key had at authentication; absent if not known. */
  readonly keyVersion?: number | undefined;
  /** When the API key expired or expires according to that record, in milliseconds since 1970; absent if never. */
  readonly keyExpiresAtMs?: number | undefined;
  /** How many projects the company may create in a day (UTC); absent if there is no limit. */
  readonly projectsADay?: number | undefined;
  /** The IP address of the sender. It must not be logged or stored. */
  readonly address?: string | undefined;
  readonly deadline: Deadline;
  /** Whether the engine translates between two languages. If it is present, `create` and `validate` ask it. */
  readonly supportsPair?: TranslationEngine['supports'] | undefined;
  /** The plan that a deletion must agree with; absent if the client has sent none. */
  readonly planned?: PlannedRemoval | undefined;
  /** The idempotency key. It is set if the request must run only once, even if the client sends it again. */
  readonly idempotency?: Idempotency | undefined;
}

/** The idempotency key of a request, with its options. */
export interface Idempotency {
  /** The caller's key, unique within the company. */
  readonly key: string;
  /** How long the result is kept for retries, in milliseconds; 7 days by default. */
  readonly retentionMs?: number | undefined;
  /** Whether the operation shows that it is running, before its work begins. By default, it shows only its end. */
  readonly isAnnounced?: boolean;
  /** Called if the service returns the result of an earlier request with the key. */
  readonly replayed: () => void;
}

/** The target of a deletion. A missing task id never means the whole project: `kind` says which it is. */
export type DeletionScope =
  | {
      readonly kind: 'project' /** A lower one than the last refuses the deletion. */;
      readonly revision?: number | undefined;
    }
  | { readonly kind: 'task'; readonly taskId: string };

/** Selects projects of a list. All members that are present must hold. */
export interface ProjectFilter {
  /** A target language of the project is in this state. */
  readonly state?: LanguageState | undefined;
  readonly customIdPrefix?: string | undefined;
  /** The project was created after this moment, in nanoseconds since 1970. */
  readonly createdAfter?: bigint | undefined;
  /** The deadline of the project is before this moment, in nanoseconds since 1970. */
  readonly dueBefore?: bigint | undefined;
  /** Whether every target language has the progress 100. A project whose progress is not known fits neither value. */
  readonly done?: boolean | undefined;
}

/** Selects a page of a list: at most `limit` projects that fit the filter, with ids below `after`. */
export interface ProjectsQuery extends ProjectFilter {
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly after?: number | undefined;
  /** The limits of the whole list, before and after compression, in bytes. A service may know early that it exceeds them. */
  readonly whole?: { readonly maxBytes: number; readonly maxEncodedBytes: number } | undefined;
}

/**
 * A page of a company's projects, newest first. A page may have fewer projects than its limit, or even none, while more
 * remain.
 */
export interface ProjectPage {
  readonly projects: readonly ServiceProject[];
  /** The id after which the next page starts; absent on the last page. */
  readonly next?: number;
  /** With a filter: how many projects were looked at, also those that do not fit it. */
  readonly scanned?: number;
  /** The list exceeds the limits of `whole`. Then the page has no projects. */
  readonly isTooLarge?: boolean;
}

/** Selects segments of a project, with their translations. */
export interface SegmentsQuery {
  /** Selects the segments that have a translation of this status, and of them only those translations. */
  readonly status?: TranslationStatus | undefined;
  readonly taskId?: string | undefined;
  /** The code of a target language. Selects the translations into this language. */
  readonly languageCode?: string | undefined;
  /** The `next` of the previous page; absent for the first page. */
  readonly after?: PageCursor | undefined;
  /** The maximum number of segments in the page. Default: all. */
  readonly limit?: number | undefined;
  /** The page ends before its JSON has more bytes than this. It has at least one segment, if any is left. */
  readonly maxBytes: number;
  /**
   * If present, a page without all segments is of no use, nor one with more bytes than this after compression. Then the
   * service does as little as it can, and the page may be empty.
   */
  readonly whole?: { readonly maxEncodedBytes: number } | undefined;
  /** Whether the JSON is compressed. Without compression, `maxBytes` limits the memory of the page. */
  readonly isGzip: boolean;
}

/** A page of segments with their translations, in the order of the project, as JSON text. */
export interface SegmentsPage {
  /** The number of segments in the page. */
  readonly count: number;
  /** A JSON array. */
  readonly json: EncodedText;
  /** Where the next page starts; absent on the last page. */
  readonly next?: PageCursor;
}

/**
 * The progress of a project as the service returns it. The hosted service always returns a `ProgressAnswer`. An upstream
 * service may leave out any field, or give it any JSON value.
 */
export type ServiceProgress = Readonly<Record<string, unknown>>;
/** The result of a request that took effect: projects, translations and languages in their current state. */
export type OperationResult =
  | ProjectDocument
  | Receipt
  | OutdatedPut
  | { readonly translations: readonly WrittenTranslation[] }
  | { readonly language: TargetLanguageAnswer };

/** The state of an operation. */
export type OperationState =
  | { readonly kind: 'running' }
  /** The request took effect. If its project has been deleted since, the result is the problem `project-deleted`. */
  | { readonly kind: 'done'; readonly result: OperationResult | Problem }
  /** The request had no effect, or its outcome stays unknown. The problem says which. */
  | { readonly kind: 'failed'; readonly problem: Problem };

/**
 * The multilingual project service, hosted or upstream. Every expected failure is a `Problem`. Every method may throw
 * `unavailable`, `upstream-unavailable`, `upstream-invalid`, `upstream-refused` or `outcome-unknown`. A method is absent
 * if the service does not support the operation.
 */
export interface ProjectService {
  /** How much a start date may differ from the service's time, in milliseconds. */
  readonly startDateToleranceMs: number;
  /** Whether the `eventUrl` of a project may also be `http://127.0.0.1:<port>`. */
  readonly allowsLoopbackEvents?: boolean | undefined;
  /**
   * Creates a project.
   * @throws {Problem} `invalid-project` if the start date is not now, `custom-id-in-use`
   * @throws {Problem} `request-in-progress`, `idempotency-key-reused` or `project-deleted`, if the call has a key
   */
  create(project: CheckedProject, call: CallContext): Promise<ProjectDocument>;
  /**
   * Checks whether a project could be created, without creating it.
   * @throws {Problem} `invalid-project` if the start date is not now, `custom-id-in-use`
   */
  validate(project: CheckedProject, call: CallContext): Promise<void>;
  /**
   * Makes a project be what the request says: creates or changes it, or leaves it as it is.
   * @throws {Problem} those of `create`; `project-not-found` if the request names an id; `task-not-found`
   * @throws {Problem} `scope-missing` if `call.scopes` do not suffice for what the put would do
   * @throws {Problem} `plan-outdated` if the put would not do what `planned` says
   * @throws {Problem} `not-supported` if the service cannot change the project
   */
  put(request: PutRequest, call: CallContext): Promise<PutResult>;
  /**
   * Returns what a put would do now. Changes nothing.
   * @throws {Problem} those of `put`, except `scope-missing`
   */
  planPut(request: PutRequest, call: CallContext): Promise<PutPlan>;
  /**
   * Reads a project. With a task id, the project contains only the segments of that task.
   * @throws {Problem} `project-not-found`, `task-not-found`
   */
  get(ref: ProjectRef, taskId: string | undefined, call: CallContext): Promise<ProjectDocument>;
  /**
   * Reads segments of a project with their translations.
   * @throws {Problem} `project-not-found`, `task-not-found`
   * @throws {Problem} `invalid-parameter` if the project does not have the language
   * @throws {Problem} `page-outdated` if the project has changed since the previous page
   */
  segments(ref: ProjectRef, query: SegmentsQuery, call: CallContext): Promise<SegmentsPage>;
  /**
   * Reads the progress of a project, or of one task of it.
   * @throws {Problem} `project-not-found`, `task-not-found`
   * @throws {Problem} `not-acceptable` if the project has too many tasks to show the progress of each
   */
  progress(ref: ProjectRef, taskId: string | undefined, call: CallContext): Promise<ServiceProgress>;
  /**
   * Lists projects without their segments, newest first, with the present state and progress of their target languages.
   */
  list(query: ProjectsQuery, call: CallContext): Promise<ProjectPage>;
  /**
   * Returns what the deletion of a project, or of one task of it, would remove now. Changes nothing.
   * @throws {Problem} `project-not-found`, `task-not-found`
   */
  removal(ref: ProjectRef, scope: DeletionScope, call: CallContext): Promise<Removal>;
  /**
   * Deletes a project, or one task of it, permanently.
   * @throws {Problem} `project-not-found`, `task-not-found`
   * @throws {Problem} `plan-outdated` if the deletion would not remove what `call.planned` says
   * @throws {Problem} `request-in-progress` or `idempotency-key-reused`, if the call has a key
   */
  delete(ref: ProjectRef, scope: DeletionScope, call: CallContext): Promise<Receipt>;
  /**
   * Writes translations, all or none. Returns them in the order of the entries.
   *
   * The service first looks for unknown segments and languages and for repeated entries, then for other versions than
   * `ifVersion`, and then for lower statuses. It reports all faults of the first kind that it finds.
   * @throws {Problem} `project-not-found`, `invalid-translations`, `translation-changed`
   * @throws {Problem} `request-in-progress`, `idempotency-key-reused` or `project-deleted`, if the call has a key
   */
  writeTranslations?(
    ref: ProjectRef,
    entries: readonly CheckedTranslation[],
    call: CallContext,
  ): Promise<readonly WrittenTranslation[]>;
  /**
   * Changes a target language of a project. Returns the language as `get` does.
   * @param languageCode a code as the client sent it, which may be unknown
   * @throws {Problem} `project-not-found`, `language-not-found`
   * @throws {Problem} `request-in-progress`, `idempotency-key-reused` or `project-deleted`, if the call has a key
   */
  changeLanguage?(
    ref: ProjectRef,
    languageCode: string,
    change: LanguageChange,
    call: CallContext,
  ): Promise<TargetLanguageAnswer>;
  /**
   * Reads the state of an operation. An operation is a request that has an idempotency key, or whose problem or receipt
   * contains an operation id.
   * @param operationId the id from the problem or receipt; for a request with a key, `operationIdOf(key)`
   * @throws {Problem} `operation-not-found`
   */
  operation(operationId: string, call: CallContext): Promise<OperationState>;
  /** Reads what the company may do in a day, and what it has used today. */
  dailyAllowance(call: CallContext): Promise<DailyAllowance>;
  /**
   * Reads a list of the account that the company has at an upstream service, as that service gives it.
   * @throws {Problem} `not-supported` if the operator has not allowed it, or other companies share the account
   */
  lookUp?(name: LookupName, call: CallContext): Promise<readonly object[]>;
}

// The parts of a service. A function that needs only one of them starts faster.

/** The part that creates and deletes projects. */
export type ProjectChanges = Pick<
  ProjectService,
  'startDateToleranceMs' | 'allowsLoopbackEvents' | 'create' | 'validate' | 'put' | 'planPut' | 'delete'
>;

/** The part that only reads. */
export type ProjectReads = Pick<
  ProjectService,
  'get' | 'segments' | 'progress' | 'list' | 'removal' | 'operation' | 'dailyAllowance' | 'lookUp'
>;

/** The part that changes translations and languages. */
export type TranslationChanges = Pick<ProjectService, 'writeTranslations' | 'changeLanguage'>;

/**
 * Returns the id of the operation for an idempotency key. The id is a hash, because the key itself must stay secret.
 */
export function operationIdOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** Adds an operation id to a problem `outcome-unknown` that has none. Returns any other problem unchanged. */
export function withOperationId(problem: Problem, operationId: string | undefined): Problem {
  const { name, occurrence, cause } = problem;
  if (name !== 'outcome-unknown' || operationId === undefined || occurrence.operationId !== undefined) return problem;
  return new Problem(name, { ...occurrence, operationId }, { cause });
}
