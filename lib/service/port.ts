import { createHash } from 'node:crypto';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt, RequestedBy } from '../contract/receipt.ts';
import type { Deadline } from './deadline.ts';
import type { ProjectDocument, ServiceProject } from './project-document.ts';

/** How a caller names a project. */
export type ProjectRef = { readonly id: number } | { readonly customId: string };

/** Who asks, and how long there is to answer. Nothing here comes from a body or a path. */
export interface Call {
  readonly companyId: string;
  readonly requestId: string;
  /** What the caller proved itself as. */
  readonly requestedBy: RequestedBy;
  /** The version of the key's record by which that was proved; absent where the key has none. */
  readonly keyVersion?: number | undefined;
  readonly deadline: Deadline;
  /** Where the request is to happen once, however often it is sent. */
  readonly idempotency?: Idempotency | undefined;
}

/** What makes a request happen only once. */
export interface Idempotency {
  /** The caller's own; scoped to the company. */
  readonly key: string;
  /** How long the result is kept, in milliseconds; 7 days unless given. */
  readonly retentionMs?: number | undefined;
  /** Called where the answer is that of an earlier request with the key. */
  readonly replayed: () => void;
}

/** What a deletion is about. It is always said, never guessed from something missing. */
export type DeletionScope = { readonly kind: 'project' } | { readonly kind: 'task'; readonly taskId: string };

/** A page of a company's projects, newest first. */
export interface ProjectPage {
  readonly projects: readonly ServiceProject[];
  /** The project id after which the next page begins; absent on the last page. */
  readonly next?: number;
}

/** What became of a request that was not waited for. */
export type OperationState =
  | { readonly kind: 'running' }
  /** It was applied. A project that has been deleted since is a problem in place of the project. */
  | { readonly kind: 'done'; readonly result: ProjectDocument | Receipt | Problem }
  /** It was not; or, if its problem has an unknown outcome, nobody can find out. */
  | { readonly kind: 'failed'; readonly problem: Problem };

/**
 * The multilingual project service, whoever provides it. Every failure is a `Problem` of the catalogue:
 * any method may end in `unavailable`, `upstream-unavailable`, `upstream-invalid`, `upstream-refused` or `outcome-unknown`.
 */
export interface ProjectService {
  /** How far a start date may be from the service's time, either way, in milliseconds. */
  readonly startDateToleranceMs: number;
  /**
   * Creates a project.
   * @throws {Problem} `invalid-project` where the start date is not now, `custom-id-in-use`; with a key
   *   `request-in-progress`, `idempotency-key-reused`, `project-deleted`
   */
  create(project: CheckedProject, call: Call): Promise<ProjectDocument>;
  /**
   * Finds out whether a project could be created, and changes nothing.
   * @throws {Problem} as `create` does
   */
  validate(project: CheckedProject, call: Call): Promise<void>;
  /**
   * Reads a project; with a task, the project with that task's segments only.
   * @throws {Problem} `project-not-found`, `task-not-found`
   */
  get(ref: ProjectRef, taskId: string | undefined, call: Call): Promise<ProjectDocument>;
  /** Lists projects without their segments; `after` is the `next` of the page before. */
  list(page: { readonly limit: number; readonly after?: number | undefined }, call: Call): Promise<ProjectPage>;
  /**
   * Deletes a project or one task of it, for ever.
   * @throws {Problem} `project-not-found`, `task-not-found`; with a key `request-in-progress`, `idempotency-key-reused`
   */
  delete(ref: ProjectRef, scope: DeletionScope, call: Call): Promise<Receipt>;
  /**
   * Tells what became of a request with a key, or of one whose problem or receipt names its operation.
   * @param operationId `operationIdOf` the key
   * @throws {Problem} `operation-not-found`
   */
  operation(operationId: string, call: Call): Promise<OperationState>;
}

/** Problems that every service has. Their texts are the same for all, so that no answer shows which service gave it. */
export const failures = {
  /** @param deletedAtUtc when it was deleted, where that is still known */
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
      detail: 'An existing project of the company has this custom id.',
      errors: [{ pointer: '/customId', code: 'in-use', detail: 'Use another custom id, or delete that project.' }],
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
