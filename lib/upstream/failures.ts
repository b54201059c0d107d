import * as z from 'zod/mini';
import { teamWithoutTranslator } from '../contract/check.ts';
import { FAULT_CODES, type Fault, type FaultCode, isFaultCode } from '../contract/faults.ts';
import { LIMITS } from '../contract/limits.ts';
import { fieldsOf, pointerTo } from '../contract/pointer.ts';
import { Problem } from '../contract/problem.ts';
import { isProblemType, PROBLEMS, type ProblemType } from '../contract/problems.ts';
import { NoAnswer, OUT_OF_TIME, type TransportResponse } from '../service/http-client/exchange.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import { isAuthRejected } from '../service/http-client/sign-in.ts';
import { failures } from '../service/port.ts';
import { retryAfterSeconds } from '../service/retry.ts';
import { changesSomething, type UpstreamOperation, type UpstreamRequest } from './requests.ts';

/**
 * The error for credentials of Segue that the upstream service rejected. The operator must correct them, not the
 * caller.
 */
export class AuthRejected extends Error {
  /** The name of the error in the log, by which alarms and operators find it. */
  override readonly name = 'LockedOut';
  /** The status of the response, such as `HTTP_401`. */
  readonly code: string;

  constructor(status: number) {
    super(`The upstream service answered with status ${status}`);
    this.code = `HTTP_${status}`;
  }
}

/** The `Retry-After` for a caller, in seconds, if the upstream service asked for no pause. */
const DEFAULT_RETRY_AFTER_SECONDS = 5;
const UNKNOWN = 'The upstream service may have carried out the request. Its response was lost or cannot be read.';
const OUTSIDE_CONTRACT = 'The upstream service sent a response that its API does not define.';

/**
 * The problems that only an upstream service causes. Their texts never quote its response, because the response may
 * repeat the content of a project.
 */
export const upstreamFailures = {
  refused: (detail: string, errors: readonly Fault[] = []) =>
    new Problem('upstream-refused', { detail, ...(errors.length > 0 && { errors }) }),

  /**
   * Creates the problem for a project that is too large only for the upstream service. Its limit may be lower than that
   * of Segue, and Segue adds a custom id to the project.
   */
  tooLarge: () =>
    new Problem('too-large', {
      detail: 'The project is larger than the upstream service accepts. Split it into several projects.',
    }),

  unavailable: (detail: string, seconds = DEFAULT_RETRY_AFTER_SECONDS, cause?: NoAnswer | AuthRejected) =>
    new Problem('upstream-unavailable', { detail, retryAfterSeconds: seconds }, { cause }),

  invalid: (detail: string) => new Problem('upstream-invalid', { detail }),

  tasksHidden: () =>
    new Problem('upstream-invalid', {
      detail:
        'The upstream service does not show every task id of the project, as the contract requires. Segue cannot tell whether this task exists. A retry does not help until the upstream service is corrected.',
    }),

  /**
   * Creates the problem for a request whose outcome is unknown.
   * @param operationId the operation by which the caller can look up the result; absent if no result is kept
   */
  outcomeUnknown: (detail: string, cause?: NoAnswer, operationId?: string) =>
    new Problem(
      'outcome-unknown',
      {
        detail,
        ...(operationId !== undefined && { operationId }),
        ...(cause?.code === OUT_OF_TIME && { isRunning: true }),
      },
      { cause },
    ),
};

/**
 * Creates the problem for an operation whose outcome is unknown.
 * @param sent the problem that sending the request caused; its cause shows whether the request may still be running
 */
export function unknownOutcome({ operationId }: { readonly operationId: string }, sent?: Problem): Problem {
  const cause = sent?.cause instanceof NoAnswer ? sent.cause : undefined;
  return upstreamFailures.outcomeUnknown('The upstream service may have carried out the request.', cause, operationId);
}

/** Creates the problem for a request that got no response. */
export function noAnswerProblem(failure: NoAnswer, operation: UpstreamOperation): Problem {
  if (failure.sent && changesSomething(operation)) return upstreamFailures.outcomeUnknown(UNKNOWN, failure);
  return failure.retryAfterSeconds === undefined
    ? upstreamFailures.unavailable(
        'The upstream service cannot be reached, or did not answer in time.',
        undefined,
        failure,
      )
    : upstreamFailures.unavailable(
        'The upstream service accepts no requests at the moment.',
        failure.retryAfterSeconds,
        failure,
      );
}

/** Creates the problem for a successful response whose body cannot be read. */
export function unreadableProblem({ body }: TransportResponse, operation: UpstreamOperation): Problem {
  if (changesSomething(operation)) return upstreamFailures.outcomeUnknown(UNKNOWN);
  return body === 'lost'
    ? upstreamFailures.unavailable('The response of the upstream service broke off.')
    : upstreamFailures.invalid(OUTSIDE_CONTRACT);
}

/** Creates the problem for a response whose status is not a success. */
export function refusalProblem(
  response: TransportResponse,
  { operation, sent }: Pick<UpstreamRequest, 'operation' | 'sent'>,
  nowMs: number,
): Problem {
  const { status, headers } = response;
  const reported = readProblem(response, sent);
  if (reported && operation.passesOn.includes(reported.type)) return passedOn(reported);
  if (status === 404 && operation.passesOn.includes('project-not-found')) {
    // A proxy may send a request twice and return the second response. A 404 counts only if its body is complete.
    if (response.body === 'lost' && changesSomething(operation)) return upstreamFailures.outcomeUnknown(UNKNOWN);
    // Another problem of the contract, such as `route-not-found`, says nothing about the project.
    return !reported && isAbsence(response)
      ? failures.projectNotFound()
      : upstreamFailures.refused(
          'The base URL of the upstream service answered 404 in a form that the service does not use. Check the base URL.',
        );
  }
  if (status === 413 && operation.method === 'POST') return upstreamFailures.tooLarge();
  // The body does not matter: this may be the second response to a request that a proxy sent twice.
  if (status === 409 && operation.passesOn.includes('custom-id-in-use')) return failures.customIdInUse();
  if (isAuthRejected(response)) {
    const detail = 'The upstream service rejects Segue’s credentials. The operator of Segue must correct them.';
    return upstreamFailures.unavailable(detail, undefined, new AuthRejected(status));
  }
  if (status === 429 || status === 503) {
    const seconds = retryAfterSeconds(headers['retry-after'], nowMs);
    return upstreamFailures.unavailable('The upstream service accepts no requests at the moment.', seconds);
  }
  if (isRedirect(status, operation))
    return upstreamFailures.refused(
      `The upstream service answered with a redirect, status ${status}. Segue does not follow redirects.`,
    );
  if (status >= 400 && status < 500 && status !== 408) {
    return upstreamFailures.refused(`The upstream service refused the request with status ${status}.`);
  }
  if (changesSomething(operation)) return upstreamFailures.outcomeUnknown(UNKNOWN);
  return status >= 400
    ? upstreamFailures.unavailable('The upstream service failed. Send the request again later.')
    : upstreamFailures.invalid(OUTSIDE_CONTRACT);
}

/**
 * Checks whether a redirect proves that the service did nothing. For an operation that changes something, 302 and 303
 * do not prove it.
 */
function isRedirect(status: number, operation: UpstreamOperation): boolean {
  return changesSomething(operation) ? [301, 307, 308].includes(status) : status >= 300 && status < 400;
}

const JSON_TYPE = /^application\/(?:[\w.!#$&^+-]+\+)?json\s*(?:;|$)/i;

/**
 * Checks whether a 404 means that the project does not exist: its body is empty or JSON. Proxies and web servers send
 * an HTML page.
 */
function isAbsence({ headers, body }: TransportResponse): boolean {
  if (typeof body !== 'string' && body.length === 0) return true;
  return JSON_TYPE.test(headers['content-type'] ?? '') && parseJson(body) !== undefined;
}

const ProblemBody = z.object({ type: z.string(), errors: z.catch(z.array(z.unknown()), []) });
const FaultBody = z.object({ pointer: z.string(), code: z.custom<FaultCode>(isFaultCode) });

/** A problem in a response, with a type of Segue's catalogue. */
interface ReportedProblem {
  readonly type: ProblemType;
  /** The faults in Segue's words and without allowed values, because the service may quote the sent content. */
  readonly errors: readonly Fault[];
}

/**
 * Reads the problem in a response.
 * @returns `undefined` if its type is not in Segue's catalogue, or its type has another status
 */
function readProblem({ status, headers, body }: TransportResponse, sent: unknown): ReportedProblem | undefined {
  if (!/^application\/problem\+json\b/i.test(headers['content-type'] ?? '')) return undefined;
  const { data } = ProblemBody.safeParse(parseJson(body));
  if (!data) return undefined;
  const type = data.type.slice(data.type.lastIndexOf('/') + 1);
  if (!isProblemType(type) || PROBLEMS[type].status !== status) return undefined;
  const errors = data.errors.slice(0, LIMITS.faults).flatMap((error) => {
    const fault = FaultBody.safeParse(error).data;
    return fault
      ? [{ pointer: knownPointer(sent, fault.pointer), code: fault.code, detail: FAULT_CODES[fault.code] }]
      : [];
  });
  return { type, errors };
}

/** Returns the part of a pointer that leads to a sent value. The rest may be any text, so it is left out. */
function knownPointer(sent: unknown, pointer: string): string {
  const path: string[] = [];
  let value = sent;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const fields = fieldsOf(value);
    if (!fields || !Object.hasOwn(fields, name)) break;
    path.push(name);
    value = fields[name];
  }
  return pointerTo(path);
}

function passedOn({ type, errors }: ReportedProblem): Problem {
  switch (type) {
    case 'project-not-found':
      return failures.projectNotFound();
    case 'task-not-found':
      return failures.taskNotFound();
    case 'custom-id-in-use':
      return failures.customIdInUse();
    case 'team-without-translator':
      return teamWithoutTranslator();
    default: {
      const detail =
        'The upstream service refused the project with status 400. `errors` lists the reasons that the service gave, if any.';
      return upstreamFailures.refused(detail, errors);
    }
  }
}
