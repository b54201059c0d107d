import * as z from 'zod/mini';
import { isProblemType, OUTCOMES } from '../contract/problems.ts';
import { parseJson } from '../upstream/json.ts';
import { saidRetryAfter } from '../upstream/retry-after.ts';
import type { Answer, NoAnswer } from '../upstream/transport.ts';
import type { Failure } from './error.ts';

const FaultAnswer = z.object({
  pointer: z.string(),
  code: z.string(),
  detail: z.string(),
  allowed: z.optional(z.array(z.union([z.string(), z.number()]))),
});

/** The body of a problem, as far as it is needed. */
const ProblemAnswer = z.object({
  type: z.string(),
  title: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  outcome: z.enum(OUTCOMES),
  instance: z.optional(z.string()),
  errors: z.catch(z.optional(z.array(FaultAnswer)), undefined),
  retryAfterSeconds: z.catch(z.optional(z.number().check(z.nonnegative())), undefined),
  deletedAtUtc: z.optional(z.string()),
  operationId: z.optional(z.string()),
});

/** Reads a problem, whatever part of an answer it is; `undefined` where it is none. */
export function readProblem(value: unknown, status?: number): Failure | undefined {
  const { data } = ProblemAnswer.safeParse(value);
  if (!data) return undefined;
  const type = data.type.slice(data.type.lastIndexOf('/') + 1);
  return { ...data, type: isProblemType(type) ? type : 'unknown-problem', status };
}

/**
 * What an answer without success means.
 * @param changes whether the request is to change something
 */
export function failureOf({ status, headers, body }: Answer, changes: boolean, nowMs: number): Failure {
  const retryAfterSeconds = saidRetryAfter(headers['retry-after'], nowMs);
  const problem = readProblem(parseJson(body), status);
  if (problem) return { ...problem, retryAfterSeconds: problem.retryAfterSeconds ?? retryAfterSeconds };
  // Something between here and Segue answered, and may have passed the request on before.
  const isServer = status >= 500 || status === 408;
  return {
    type: 'unreadable-answer',
    title: 'The answer is not one of Segue',
    detail: `An answer with status ${status} cannot be read, or does not come from Segue.`,
    retryable: isServer || status === 429 || body === 'lost',
    outcome: changes && (isServer || status < 300) ? 'unknown' : 'not-applied',
    status,
    retryAfterSeconds,
  };
}

/** What it means that there was no answer. */
export function silenceOf({ sent, code, retryAfterSeconds }: NoAnswer, changes: boolean): Failure {
  return {
    type: 'no-answer',
    title: 'There was no answer',
    detail: `Segue could not be reached, or did not answer in time (${code}).`,
    retryable: true,
    outcome: sent && changes ? 'unknown' : 'not-applied',
    retryAfterSeconds,
  };
}
