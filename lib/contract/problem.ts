import type { Fault } from './fault.ts';
import { LIMITS } from './limits.ts';
import { type Outcome, PROBLEMS, type ProblemType } from './problems.ts';

/** What is particular to one occurrence of a problem. */
export interface Occurrence {
  /** For people: what happened, without content, names, addresses or credentials. */
  readonly detail: string;
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  /** For a project that is gone: when it was deleted. */
  readonly deletedAtUtc?: string;
  /** For an outcome that is not known yet: the operation to ask. */
  readonly operationId?: string;
  /** For such an outcome: what was sent is still being worked on. */
  readonly isRunning?: boolean;
  /** For missing or wrong credentials: the schemes that would be right, as `WWW-Authenticate` has them. */
  readonly wwwAuthenticate?: string;
  /** For a wrong method: the methods that would be right. */
  readonly allow?: readonly string[];
}

/** The body of a failure answer: RFC 9457 `application/problem+json`. */
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

/** A failure with a name. Whatever layer finds it, the catalogue says how it is answered. */
export class Problem extends Error {
  override readonly name: ProblemType;
  readonly occurrence: Occurrence;

  constructor(type: ProblemType, occurrence: Occurrence, options?: ErrorOptions) {
    super(occurrence.detail, options);
    this.name = type;
    this.occurrence = occurrence;
  }

  /** The answer's body. `problemsUrl` is where the pages of the problem types are; `instance` is the request id. */
  body(problemsUrl: string, instance: string): ProblemBody {
    return problemBody(this.name, this.occurrence, problemsUrl, instance);
  }
}

/** The body of a problem's answer, from the catalogue and what is particular to this occurrence. */
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

/** The headers of a problem's answer, beside the ones that every answer has. */
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

/** What is said of a method that a path does not take. */
export function methodNotAllowed(allow: readonly string[]): Occurrence {
  return { detail: `This path takes ${allow.join(', ')}.`, allow };
}
