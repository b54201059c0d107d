import type { Fault } from './faults.ts';
import { LIMITS } from './limits.ts';
import { type Outcome, PROBLEMS, type ProblemType } from './problems.ts';

/** The details of one occurrence of a problem, beyond what its type says. */
export interface Occurrence {
  /** A text for people: what happened. It never contains content, names, addresses or credentials. */
  readonly detail: string;
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  /** When the project was deleted. */
  readonly deletedAtUtc?: string;
  /** The operation to poll while the outcome is unknown. */
  readonly operationId?: string;
  /** Whether the operation of `operationId` is still running. */
  readonly isRunning?: boolean;
  /** The value of the `WWW-Authenticate` header, if credentials are missing or wrong. */
  readonly wwwAuthenticate?: string;
  /** The methods that the path supports, if the request has another method. */
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

/** An error with a problem type. `PROBLEMS` defines the HTTP status of each type, and whether a client may retry. */
export class Problem extends Error {
  override readonly name: ProblemType;
  readonly occurrence: Occurrence;

  constructor(type: ProblemType, occurrence: Occurrence, options?: ErrorOptions) {
    super(occurrence.detail, options);
    this.name = type;
    this.occurrence = occurrence;
  }

  /**
   * Returns the body of the error answer.
   * @param problemsUrl the URL of the problem pages
   * @param instance the request id
   */
  body(problemsUrl: string, instance: string): ProblemBody {
    return problemBody(this.name, this.occurrence, problemsUrl, instance);
  }
}

/**
 * Builds the body of an error answer from the problem type and one occurrence.
 * @param problemsUrl the URL of the problem pages
 * @param instance the request id
 */
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

/** Returns the headers that an error answer has in addition to the headers of every answer. */
export function problemHeaders(
  type: ProblemType,
  { retryAfterSeconds, wwwAuthenticate, allow }: Occurrence,
): Record<string, string> {
  return {
    'Content-Type': 'application/problem+json',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    // draft-ietf-httpapi-ratelimit-headers-10
    ...(type === 'rate-limited' && { RateLimit: `"requests";r=0;t=${retryAfterSeconds ?? 1}` }),
    ...(wwwAuthenticate !== undefined && { 'WWW-Authenticate': wwwAuthenticate }),
    ...(allow && { Allow: allow.join(', ') }),
  };
}

/** The end of the details of problems with a path or its method. */
export const PROJECT_PATHS =
  'Projects are at /segments/projects, and one project is at /segments/projects/{id} or, with its custom id, at /segments/projects/custom/{customId}.';

/** Makes the details of a `method-not-allowed` problem. `allow` lists the methods that the path supports. */
export function methodNotAllowed(allow: readonly string[]): Occurrence {
  return { detail: `This path supports ${allow.join(', ')}. ${PROJECT_PATHS}`, allow };
}
