import * as z from 'zod/mini';
import { UPSTREAM } from '../contract/failures.ts';
import { FAULT_CODES, type Fault, type FaultCode, isFaultCode } from '../contract/faults.ts';
import { object } from '../contract/lazy-object.ts';
import { LIMITS } from '../contract/limits.ts';
import { fieldsOf, pointerTo } from '../contract/pointer.ts';
import type { Problem } from '../contract/problem.ts';
import { isProblemType, PROBLEMS } from '../contract/problems.ts';
import type { NoAnswer, TransportResponse } from '../service/http-client/exchange.ts';
import { parseJson, type ResponseBody } from '../service/http-client/response-body.ts';
import { retryAfterSeconds } from '../service/retry.ts';
import {
  changesSomething,
  type PassedOn,
  rejectsCredentials,
  type UpstreamOperation,
  type UpstreamRequest,
} from './requests.ts';

/** The answer of the upstream service to a request, or to several requests that belong together. */
export type UpstreamAnswer<T> = ({ readonly kind: 'ok' } & T) | UpstreamFailure;

/** An answer without a result. A `detail` never quotes the response, which may repeat the content of a project. */
export type UpstreamFailure =
  /** There is no such project or task. `deletedAtUtc` is set if the ledger knows that Segue deleted the project. */
  | { readonly kind: 'absent'; readonly what: 'project' | 'task'; readonly deletedAtUtc?: string | undefined }
  /** The service refused the request and did nothing. `type` is the type of the problem for the caller. */
  | { readonly kind: 'refused'; readonly type: 'custom-id-in-use' | 'team-without-translator' }
  | {
      readonly kind: 'refused';
      readonly type: 'too-large' | 'upstream-refused';
      readonly detail: string;
      readonly errors: readonly Fault[];
    }
  /** The service did nothing, but may do it later. `cause` is a `Problem` if Segue cannot read its credentials. */
  | {
      readonly kind: 'busy';
      readonly detail: string;
      readonly retryAfterSeconds?: number | undefined;
      readonly cause?: NoAnswer | AuthRejected | Problem;
    }
  /** The service may have carried out the request. `cause` is set if there was no response. */
  | { readonly kind: 'lost'; readonly cause?: NoAnswer }
  /** The response to a read is not what the contract requires. */
  | { readonly kind: 'unreadable'; readonly detail: string };

/** The failures of some kinds. */
export type Failure<Kind extends UpstreamFailure['kind']> = Extract<UpstreamFailure, { readonly kind: Kind }>;

export function refused(detail: string, errors: readonly Fault[] = []): Failure<'refused'> {
  return { kind: 'refused', type: 'upstream-refused', detail, errors };
}

export function busy(detail: string, more: Pick<Failure<'busy'>, 'retryAfterSeconds' | 'cause'> = {}): Failure<'busy'> {
  return { kind: 'busy', detail, ...more };
}

export function unreadable(detail: string): Failure<'unreadable'> {
  return { kind: 'unreadable', detail };
}

/** The credentials of Segue were rejected. The operator must correct them, not the caller. */
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

const OUTSIDE_CONTRACT = unreadable('The upstream service sent a response that its API does not define.');

/** Classifies a request that got no response. */
export function noResponse(cause: NoAnswer, operation: UpstreamOperation): UpstreamFailure {
  if (cause.sent && changesSomething(operation)) return { kind: 'lost', cause };
  const { retryAfterSeconds } = cause;
  return retryAfterSeconds === undefined
    ? busy('The upstream service cannot be reached, or did not answer in time.', { cause })
    : busy(UPSTREAM.paused, { retryAfterSeconds, cause });
}

/** Classifies the response to a read whose body cannot be read. */
export function unreadableBody(body: ResponseBody): UpstreamFailure {
  return body === 'lost' ? busy('The response of the upstream service broke off.') : OUTSIDE_CONTRACT;
}

/** Classifies a response whose status is not a success. */
export function failedResponse(
  response: TransportResponse,
  { operation, sent }: Pick<UpstreamRequest, 'operation' | 'sent'>,
  nowMs: number,
): UpstreamFailure {
  const { status, headers, body } = response;
  const { passesOn } = operation;
  const reported = readProblem(response, sent);
  const known = passesOn.find((type) => type === reported?.type);
  if (reported && known) return passedOn(known, reported.errors);
  if (status === 404 && passesOn.includes('project-not-found')) {
    // A proxy may send a request twice and return the second response. A 404 counts only if its body is complete.
    if (body === 'lost' && changesSomething(operation)) return { kind: 'lost' };
    // Another problem of the contract, such as `route-not-found`, says nothing about the project.
    return !reported && isAbsence(response)
      ? { kind: 'absent', what: 'project' }
      : refused(
          'The base URL of the upstream service answered 404 in a form that the service does not use. Check the base URL.',
        );
  }
  if (status === 413 && operation.method === 'POST') {
    // The limit of the service may be lower than that of Segue, and Segue adds a custom id to the project.
    const detail = 'The project is larger than the upstream service accepts. Split it into several projects.';
    return { kind: 'refused', type: 'too-large', detail, errors: [] };
  }
  // The body does not matter: this may be the second response to a request that a proxy sent twice.
  if (status === 409 && passesOn.includes('custom-id-in-use')) return passedOn('custom-id-in-use');
  if (rejectsCredentials(response, operation)) {
    const detail = 'The upstream service rejects Segue’s credentials. The operator of Segue must correct them.';
    return busy(detail, { cause: new AuthRejected(status) });
  }
  if (status === 429 || status === 503)
    return busy(UPSTREAM.paused, { retryAfterSeconds: retryAfterSeconds(headers['retry-after'], nowMs) });
  if (isRedirect(status, operation))
    return refused(`The upstream service answered with a redirect, status ${status}. Segue does not follow redirects.`);
  if (status >= 400 && status < 500 && status !== 408) return refused(UPSTREAM.refused(status));
  if (changesSomething(operation)) return { kind: 'lost' };
  return status >= 400 ? busy('The upstream service failed. Send the request again later.') : OUTSIDE_CONTRACT;
}

function passedOn(type: PassedOn, errors: readonly Fault[] = []): UpstreamFailure {
  switch (type) {
    case 'project-not-found':
      return { kind: 'absent', what: 'project' };
    case 'task-not-found':
      return { kind: 'absent', what: 'task' };
    case 'custom-id-in-use':
    case 'team-without-translator':
      return { kind: 'refused', type };
    case 'invalid-project':
      return refused(
        'The upstream service refused the project with status 400. `errors` lists the reasons that the service gave, if any.',
        errors,
      );
  }
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

const ProblemBody = object(() => ({ type: z.string(), errors: z.optional(z.unknown()) }));
const FaultBody = object(() => ({ pointer: z.string(), code: z.custom<FaultCode>(isFaultCode) }));

/**
 * Reads the problem in a response. Its faults are in Segue's words and without allowed values, because the service may
 * quote the sent content.
 * @returns `undefined` if its type is not in Segue's catalogue, or its type has another status
 */
function readProblem({ status, headers, body }: TransportResponse, sent: unknown) {
  if (!/^application\/problem\+json\b/i.test(headers['content-type'] ?? '')) return undefined;
  const { data } = ProblemBody.safeParse(parseJson(body));
  if (!data) return undefined;
  const type = data.type.slice(data.type.lastIndexOf('/') + 1);
  if (!isProblemType(type) || PROBLEMS[type].status !== status) return undefined;
  const given: readonly unknown[] = Array.isArray(data.errors) ? data.errors : [];
  const errors = given.slice(0, LIMITS.faults).flatMap((error): Fault[] => {
    const fault = FaultBody.safeParse(error).data;
    if (!fault) return [];
    return [{ pointer: knownPointer(sent, fault.pointer), code: fault.code, detail: FAULT_CODES[fault.code] }];
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
