import { createHash } from 'node:crypto';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt, RequestedBy } from '../contract/receipt.ts';
import type { Deadline } from './deadline.ts';
import type { ProjectDocument, ServiceProject } from './project-document.ts';

/** How a caller names a project. */
export type ProjectRef = { readonly id: number } | { readonly customId: string };

/** The caller and its deadline. Nothing here comes from a body or a path. */
export interface CallContext {
  readonly companyId: string;
  readonly requestId: string;
  /** The authenticated credentials. */
  readonly requestedBy: RequestedBy;
  /** The version of the key's record at authentication, if it has one. */
  readonly keyVersion?: number | undefined;
  readonly deadline: Deadline;
  /** Set if the request must run only once, however often it is sent. */
  readonly idempotency?: Idempotency | undefined;
}

/** The idempotency key of a request, and what to do with it. */
export interface Idempotency {
  /** The caller's key, unique within the company. */
  readonly key: string;
  /** How long the result is kept, in milliseconds; by default 7 days. */
  readonly retentionMs?: number | undefined;
  /** Called if the result is that of an earlier request with the key. */
  readonly replayed: () => void;
}

/** The target of a deletion. It is always explicit, never inferred from a missing task. */
export type DeletionScope = { readonly kind: 'project' } | { readonly kind: 'task'; readonly taskId: string };

/** A page of a company's projects, newest first. */
export interface ProjectPage {
  readonly projects: readonly ServiceProject[];
  /** The project id after which the next page begins; absent on the last page. */
  readonly next?: number;
}

/** The state of an operation. */
export type OperationState =
  | { readonly kind: 'running' }
  /** The request was applied. If its project has been deleted since, the result is the problem `project-deleted`. */
  | { readonly kind: 'done'; readonly result: ProjectDocument | Receipt | Problem }
  /** The request was not applied; or its outcome stays unknown, as its problem says. */
  | { readonly kind: 'failed'; readonly problem: Problem };

/**
 * The multilingual project service, hosted or upstream. Every failure is a `Problem` of the catalogue. Every method may
 * throw `unavailable`, `upstream-unavailable`, `upstream-invalid`, `upstream-refused` or `outcome-unknown`.
 */
export interface ProjectService {
  /** The most that a start date may differ from the service's time, in milliseconds. */
  readonly startDateToleranceMs: number;
  /**
   * Creates a project.
   * @throws {Problem} `invalid-project` if the start date is not now, `custom-id-in-use`; with a key
   *   `request-in-progress`, `idempotency-key-reused`, `project-deleted`
   */
  create(project: CheckedProject, call: CallContext): Promise<ProjectDocument>;
  /**
   * Checks whether a project could be created, without creating it.
   * @throws {Problem} as `create` does
   */
  validate(project: CheckedProject, call: CallContext): Promise<void>;
  /**
   * Reads a project; with a task, the project with that task's segments only.
   * @throws {Problem} `project-not-found`, `task-not-found`
   */
  get(ref: ProjectRef, taskId: string | undefined, call: CallContext): Promise<ProjectDocument>;
  /** Lists projects without their segments; `after` is the `next` of the page before. */
  list(page: { readonly limit: number; readonly after?: number | undefined }, call: CallContext): Promise<ProjectPage>;
  /**
   * Deletes a project or one task of it, for ever.
   * @throws {Problem} `project-not-found`, `task-not-found`; with a key `request-in-progress`, `idempotency-key-reused`
   */
  delete(ref: ProjectRef, scope: DeletionScope, call: CallContext): Promise<Receipt>;
  /**
   * Gets the state of an operation. An operation is a request that has an idempotency key, or whose problem or receipt
   * has an operation id.
   * @param operationId that id; for a key, `operationIdOf(key)`
   * @throws {Problem} `operation-not-found`
   */
  operation(operationId: string, call: CallContext): Promise<OperationState>;
}

/** Both services throw these problems with the same texts. So no answer reveals which service runs behind Segue. */
export const failures = {
  /** @param deletedAtUtc when it was deleted, if known */
  projectNotFound: (deletedAtUtc?: string) =>
    new Problem('project-not-found', {
      detail: 'The company has no project with this identifier.',
      ...(deletedAtUtc !== undefined && { deletedAtUtc }),
    }),

  taskNotFound: () => new Problem('task-not-found', { detail: 'The project has no task with this id.' }),

  operationNotFound: () =>
    new Problem('operation-not-found', { detail: 'The company has no operation with this identifier.' }),

  customIdInUse: () =>
    new Problem('custom-id-in-use', {
      detail: 'Another project of the company has this custom id.',
      errors: [
        {
          pointer: '/customId',
          code: 'in-use',
          detail: 'Another project has this custom id. Use another one, or delete that project.',
        },
      ],
    }),
};

/** The id of the operation that an idempotency key names: a hash, because the key itself must stay secret. */
export function operationIdOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** Adds the operation id if the problem has an unknown outcome and no id yet. */
export function withOperationId(problem: Problem, operationId: string | undefined): Problem {
  const { name, occurrence, cause } = problem;
  if (name !== 'outcome-unknown' || operationId === undefined || occurrence.operationId !== undefined) return problem;
  return new Problem(name, { ...occurrence, operationId }, { cause });
}
