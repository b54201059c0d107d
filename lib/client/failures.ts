import * as z from 'zod/mini';
import { isProblemType, OUTCOMES } from '../contract/problems.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import type { NoAnswer, TransportResponse } from '../service/http-client/transport.ts';
import { retryAfterSeconds as readRetryAfter } from '../service/retry.ts';
import type { Failure } from './error.ts';

const FaultBody = z.object({
  pointer: z.string(),
  code: z.string(),
  detail: z.string(),
  allowed: z.optional(z.array(z.union([z.string(), z.number()]))),
  currentVersion: z.optional(z.number()),
});

/** The schema of a problem. Other fields are ignored. */
const ProblemBody = z.object({
  type: z.string(),
  title: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  outcome: z.enum(OUTCOMES),
  instance: z.optional(z.string()),
  errors: z.catch(z.optional(z.array(FaultBody)), undefined),
  retryAfterSeconds: z.catch(z.optional(z.number().check(z.nonnegative())), undefined),
  deletedAtUtc: z.optional(z.string()),
  operationId: z.optional(z.string()),
});

/** Reads a problem from a parsed body or a field of it. Returns `undefined` if the value is not a problem. */
export function readProblem(value: unknown, status?: number): Failure | undefined {
  const { data } = ProblemBody.safeParse(value);
  if (!data) return undefined;
  const type = data.type.slice(data.type.lastIndexOf('/') + 1);
  return { ...data, type: isProblemType(type) ? type : 'unknown-problem', status };
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
