import type { Fault } from './faults.ts';
import { LIMITS } from './limits.ts';
import { type Outcome, PROBLEMS, type ProblemType } from './problems.ts';

/** The details of one occurrence of a problem. */
export interface Occurrence {
  /** For people: what happened. Never contains content, names, addresses or credentials. */
  readonly detail: string;
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  /** When the project was deleted. */
  readonly deletedAtUtc?: string;
  /** The operation to poll while the outcome is unknown. */
  readonly operationId?: string;
  /** Whether that operation is still running. */
  readonly isRunning?: boolean;
  /** The `WWW-Authenticate` header for missing or wrong credentials. */
  readonly wwwAuthenticate?: string;
  /** The supported methods, for a wrong method. */
  readonly allow?: readonly string[];
}

/** The body of an error answer (RFC 9457 `application/problem+json`). */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The request id. */
  readonly instance: string;
  readonly errors?: readonly Fault[];
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
  readonly deletedAtUtc?: string;
  readonly operationId?: string;
  readonly outcome: Outcome;
}

/** An error with a problem type. The catalogue decides how each door answers it. */
export class Problem extends Error {
  override readonly name: ProblemType;
  readonly occurrence: Occurrence;

  constructor(type: ProblemType, occurrence: Occurrence, options?: ErrorOptions) {
    super(occurrence.detail, options);
    this.name = type;
    this.occurrence = occurrence;
  }

  /** The body of the answer. `problemsUrl` is the URL of the problem pages, `instance` the request id. */
  body(problemsUrl: string, instance: string): ProblemBody {
    return problemBody(this.name, this.occurrence, problemsUrl, instance);
  }
}

/** Builds the body of a problem's answer from the catalogue and this occurrence. */
export function problemBody(
  type: ProblemType,
  { detail, errors, retryAfterSeconds, deletedAtUtc, operationId }: Occurrence,
  problemsUrl: string,
  instance: string,
): ProblemBody {
  const { status, title, retryable, outcome } = PROBLEMS[type];
  return {
    type: `${problemsUrl}/${type}`,
    title,
    status,
    detail,
    instance,
    ...(errors && { errors: errors.slice(0, LIMITS.faults) }),
    retryable,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(deletedAtUtc !== undefined && { deletedAtUtc }),
    ...(operationId !== undefined && { operationId }),
    outcome,
  };
}

/** The headers of a problem's answer, in addition to those of every answer. */
export function problemHeaders({ retryAfterSeconds, wwwAuthenticate, allow }: Occurrence): Record<string, string> {
  return {
    'Content-Type': 'application/problem+json',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    ...(wwwAuthenticate !== undefined && { 'WWW-Authenticate': wwwAuthenticate }),
    ...(allow && { Allow: allow.join(', ') }),
  };
}

/** The occurrence for a method that a path does not support. */
export function methodNotAllowed(allow: readonly string[]): Occurrence {
  return { detail: `This path supports ${allow.join(', ')}.`, allow };
}
