import { expect } from 'vitest';
import type * as z from 'zod/mini';
import { FAULT_CODES, type FaultCode } from '../../lib/contract/faults.ts';
import type { ProblemType } from '../../lib/contract/problems.ts';
import { oauthErrorAnswer, type ProblemAnswer, problemAnswer } from './answers.ts';
import type { Answer } from './api.ts';

/** The statuses of the problem types that need only one key and a healthy service, from the table "Errors". */
export const STATUSES = {
  'malformed-json': 400,
  'invalid-project': 400,
  'invalid-translations': 400,
  'invalid-language-change': 400,
  'invalid-parameter': 400,
  'unknown-parameter': 400,
  'unexpected-body': 400,
  'invalid-token-request': 400,
  'unsupported-grant-type': 400,
  'invalid-scope': 400,
  unauthenticated: 401,
  'project-not-found': 404,
  'task-not-found': 404,
  'language-not-found': 404,
  'operation-not-found': 404,
  'source-not-found': 404,
  'route-not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  'custom-id-in-use': 409,
  'page-outdated': 410,
  'plan-outdated': 412,
  'too-large': 413,
  'unsupported-media-type': 415,
  'team-without-translator': 500,
} as const satisfies Partial<Record<ProblemType, number>>;
export type TestedProblem = keyof typeof STATUSES;
/** The problems of `POST /oauth/token` alone, which have the form of OAuth. */
export type OAuthProblem = 'invalid-token-request' | 'unsupported-grant-type' | 'invalid-scope';

/** The further problems of a request with an idempotency key, with the members that the contract gives each of them. */
const OF_A_KEY = {
  'invalid-header': { status: 400, retryable: false, outcome: 'not-applied' },
  'request-in-progress': { status: 409, retryable: true, outcome: 'unknown' },
  'project-deleted': { status: 410, retryable: false, outcome: 'applied' },
  'idempotency-key-reused': { status: 422, retryable: false, outcome: 'not-applied' },
} as const satisfies Partial<Record<ProblemType, Pick<ProblemAnswer, 'status' | 'retryable' | 'outcome'>>>;
export type KeyProblem = keyof typeof OF_A_KEY;

/** The problems of requests that write translations, of which a service has only some. */
const OF_A_WRITE = {
  'translation-changed': { status: 409, retryable: false, outcome: 'not-applied' },
  'not-supported': { status: 501, retryable: false, outcome: 'not-applied' },
} as const satisfies Partial<Record<ProblemType, Pick<ProblemAnswer, 'status' | 'retryable' | 'outcome'>>>;
export type WriteProblem = keyof typeof OF_A_WRITE;

const OTHERS = { ...OF_A_KEY, ...OF_A_WRITE };
const isOther = (type: TestedProblem | KeyProblem | WriteProblem): type is KeyProblem | WriteProblem =>
  Object.hasOwn(OTHERS, type);

/** An expected fault: its pointer, and its code. If the documents allow several codes, all of them are listed. */
export type ExpectedFault = readonly [pointer: string, ...codes: FaultCode[]];

/**
 * Expects the answer to be this problem, with all the members of the contract. If faults are given, the problem must
 * have these faults and no others. For every type in `STATUSES`, nothing was applied, and the unchanged request cannot
 * succeed later.
 */
export function expectProblem(
  answer: Answer,
  type: TestedProblem | KeyProblem | WriteProblem,
  faults?: readonly ExpectedFault[],
): ProblemAnswer {
  const problem = problemOf(answer);
  const said = isOther(type)
    ? OTHERS[type]
    : { status: STATUSES[type], retryable: false, outcome: 'not-applied' as const };
  expect(problem).toMatchObject({ type: `${answer.baseUrl}/problems/${type}`, ...said });
  if (faults) expectFaults(problem, faults);
  return problem;
}

/** Expects `invalid-project` with exactly these faults. */
export function expectInvalid(answer: Answer, ...faults: readonly ExpectedFault[]): ProblemAnswer {
  return expectProblem(answer, 'invalid-project', faults);
}

/** Returns the problem of an answer, after checking the rules for every problem. */
export function problemOf(answer: Answer): ProblemAnswer {
  expect(answer.headers['content-type'], answer.text.slice(0, 200)).toMatch(/^application\/problem\+json\b/);
  const problem = problemAnswer.parse(JSON.parse(answer.text));
  expect(problem.status).toBe(answer.status);
  expect(answer.text, 'no stack, no internal name').not.toMatch(/\bat \S+ \(|\.[cm]?[jt]s:\d|node:|node_modules/);
  expect(problem.instance).toBe(answer.headers['x-request-id']);
  expect(answer.headers['retry-after']).toBe(problem.retryAfterSeconds?.toString());
  return problem;
}

/** Returns the error of OAuth in an answer, after checking the rules for every such error. */
export function oauthErrorOf(answer: Answer): z.infer<typeof oauthErrorAnswer> {
  expect(answer.headers['content-type'], answer.text.slice(0, 200)).toBe('application/json');
  expect(answer.headers.pragma).toBe('no-cache');
  return oauthErrorAnswer.parse(JSON.parse(answer.text));
}

/** Expects the answer to be an error of OAuth with the status and the page of a problem type. */
export function expectOAuthError(
  answer: Answer,
  error: z.infer<typeof oauthErrorAnswer>['error'],
  type: TestedProblem,
): string {
  const { error_description: description, ...rest } = oauthErrorOf(answer);
  expect([answer.status, rest]).toEqual([STATUSES[type], { error, error_uri: `${answer.baseUrl}/problems/${type}` }]);
  return description;
}

function expectFaults({ errors = [] }: ProblemAnswer, faults: readonly ExpectedFault[]): void {
  const anyCode = Object.keys(FAULT_CODES);
  const expected = faults.map(([pointer, ...codes]) => ({
    pointer,
    code: expect.toBeOneOf(codes.length > 0 ? codes : anyCode),
  }));
  const inOrder = (a: { pointer: string }, b: { pointer: string }) => (a.pointer < b.pointer ? -1 : 1);
  expect(errors.map(({ pointer, code }) => ({ pointer, code })).sort(inOrder)).toEqual(expected.sort(inOrder));
}
