import { fieldsOf } from '../../contract/pointer.ts';
import { isProblemType, OUTCOMES } from '../../contract/problems.ts';
import { retryAfterSeconds as readRetryAfter } from '../retry.ts';
import type { NoAnswer, TransportResponse } from './exchange.ts';
import type { Failure, Fault } from './failure.ts';
import { parseJson } from './response-body.ts';
import { boolean, listOf, number, object, oneOf, optional, type Shape, string } from './shapes.ts';

const faults = listOf(
  object<Fault>({
    pointer: string,
    code: string,
    detail: string,
    allowed: optional(listOf((value) => string(value) || number(value))),
    currentVersion: optional(number),
  }),
);

/** The fields of a problem that the client needs. */
const problem = object<Pick<Failure, 'title' | 'detail' | 'retryable' | 'outcome'> & { readonly type: string }>({
  type: string,
  title: string,
  detail: string,
  retryable: boolean,
  outcome: oneOf(...OUTCOMES),
});

/** Reads a problem from a parsed body or a field of it. Returns `undefined` if the value is not a problem. */
export function readProblem(value: unknown, status?: number): Failure | undefined {
  const fields = fieldsOf(value) ?? {};
  if (!problem(value)) return undefined;
  const { title, detail, retryable, outcome } = value;
  const type = value.type.slice(value.type.lastIndexOf('/') + 1);
  return {
    type: isProblemType(type) ? type : 'unknown-problem',
    title,
    detail,
    retryable,
    outcome,
    status,
    instance: ifIs(string, fields['instance']),
    errors: ifIs(faults, fields['errors']),
    retryAfterSeconds: ifIs(seconds, fields['retryAfterSeconds']),
    deletedAtUtc: ifIs(string, fields['deletedAtUtc']),
    operationId: ifIs(string, fields['operationId']),
  };
}

const seconds = (value: unknown): value is number => number(value) && value >= 0;

/** Returns a value, or `undefined` if it has another shape. A problem without one of these fields is still a problem. */
function ifIs<T>(shape: Shape<T>, value: unknown): T | undefined {
  return shape(value) ? value : undefined;
}

/**
 * Returns the failure for a response: one that reports an error, or one whose body cannot be read.
 * @param changes whether the request can change something
 */
export function failureOf({ status, headers, body }: TransportResponse, changes: boolean, nowMs: number): Failure {
  const retryAfterSeconds = readRetryAfter(headers['retry-after'], nowMs);
  const problem = readProblem(parseJson(body), status);
  if (problem) return { ...problem, retryAfterSeconds: problem.retryAfterSeconds ?? retryAfterSeconds };
  // The answer may come from a proxy. A proxy may have forwarded the request to Segue before it failed.
  const isServer = status >= 500 || status === 408;
  return {
    type: 'unreadable-answer',
    title: 'The answer is unreadable',
    detail: `The client cannot read the answer, which has status ${status}. A proxy instead of Segue may have sent it.`,
    retryable: isServer || status === 429 || body === 'lost',
    outcome: changes && (isServer || status < 300) ? 'unknown' : 'not-applied',
    status,
    retryAfterSeconds,
  };
}

/** Returns the failure of a request that got no response. @param changes whether the request can change something */
export function noAnswerFailure({ sent, code, retryAfterSeconds }: NoAnswer, changes: boolean): Failure {
  return {
    type: 'no-answer',
    title: 'There was no answer',
    detail: `Segue could not be reached, or did not answer in time (${code}).`,
    retryable: true,
    outcome: sent && changes ? 'unknown' : 'not-applied',
    retryAfterSeconds,
  };
}
