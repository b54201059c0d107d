import { describe, expect, it } from 'vitest';
import { PROBLEMS_BEYOND_HTTP } from '../../../lib/contract/command-problems.ts';
import { GATEWAY_RESPONSES, type GatewayResponse } from '../../../lib/contract/gateway-responses.ts';
import { oauthErrorBody, oauthErrorCode } from '../../../lib/contract/oauth.ts';
import { Problem, problemHeaders } from '../../../lib/contract/problem.ts';
import { EXPLANATIONS } from '../../../lib/contract/problem-explanations.data.ts';
import { EXAMPLES, problemPage } from '../../../lib/contract/problem-page.ts';
import { failureName, isTerminal, PROBLEM_TYPES, PROBLEMS, type ProblemType } from '../../../lib/contract/problems.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { oauthErrorAnswer, problemAnswer } from '../../contract/answers.ts';

/** The problem types that only `POST /oauth/token` has. */
const OF_OAUTH: readonly ProblemType[] = ['invalid-token-request', 'unsupported-grant-type', 'invalid-scope'];
const OAUTH_CODES: Partial<Record<ProblemType, string>> = {
  unauthenticated: 'invalid_client',
  'unsupported-grant-type': 'unsupported_grant_type',
  'invalid-scope': 'invalid_scope',
  'company-suspended': 'unauthorized_client',
};

/** The published types with their status and outcome, in groups of failure classes, which state machines name. */
const TERMINAL = `malformed-json 400, invalid-project 400, invalid-translations 400,
  invalid-language-change 400, invalid-parameter 400, unknown-parameter 400,
  unexpected-body 400, invalid-header 400, invalid-token-request 400, unsupported-grant-type 400, invalid-scope 400, unauthenticated 401, invalid-signature 401, company-suspended 403,
  scope-missing 403, project-not-found 404, task-not-found 404, language-not-found 404, operation-not-found 404,
  source-not-found 404, company-not-found 404, route-not-found 404, method-not-allowed 405, not-acceptable 406,
  custom-id-in-use 409, revision-outdated 409, translation-changed 409, events-expired 410, page-outdated 410, plan-outdated 412, too-large 413,
  unsupported-media-type 415, idempotency-key-reused 422,
  mapping-failed 422, fetch-failed 422, team-without-translator 500, content-lost 500, not-supported 501, upstream-refused 502`;
const RETRYABLE = 'rate-limited 429, quota-exceeded 429, upstream-unavailable 503, unavailable 503';
const UNKNOWN = 'internal-error 500, upstream-invalid 502, outcome-unknown 504';
const PUBLISHED = [
  ...rows(TERMINAL, 'Terminal', false, 'not-applied'),
  ...rows('project-deleted 410', 'Terminal', false, 'applied'),
  ...rows(RETRYABLE, 'Retryable', true, 'not-applied'),
  ...rows('request-in-progress 409', 'Retryable', true, 'unknown'),
  ...rows(UNKNOWN, 'Unknown', false, 'unknown'),
];

function rows(types: string, failureClass: string, retryable: boolean, outcome: string) {
  return types.split(/,\s+/).map((row) => {
    const [type = '', status] = row.split(' ');
    return { type, status: Number(status), name: `Segue.${failureClass}.${type}`, retryable, outcome };
  });
}

describe('the catalogue of problems', () => {
  it('has the published types, with their statuses, outcomes and names in state machines', () => {
    const types = PROBLEM_TYPES.map((type) => {
      const { title: _, ...entry } = PROBLEMS[type];
      return { type, name: failureName(type), ...entry };
    });
    expect(types).toHaveLength(PUBLISHED.length);
    expect(types).toEqual(expect.arrayContaining(PUBLISHED));
    expect(PROBLEM_TYPES.filter(isTerminal).map(failureName)).toEqual(
      PROBLEM_TYPES.map(failureName).filter((name) => name.startsWith('Segue.Terminal.')),
    );
  });

  it.each(PROBLEM_TYPES)('explains %s in whole sentences, with an example', (type) => {
    const { status, title, retryable, outcome } = PROBLEMS[type];
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    for (const text of Object.values(EXPLANATIONS[type])) {
      expect(text).toMatch(/^[`A-Z].*\.$/);
      // Backticks must come in pairs.
      expect(text.split('`').length % 2).toBe(1);
    }
    const page = problemPage(type, 'https://api.example.com/v1/problems', ROUTES);
    expect(page).toMatchObject({ type, uri: `https://api.example.com/v1/problems/${type}`, status, title });
    expect(page.retry.startsWith('yes')).toBe(retryable);
    expect(page.outcome.startsWith(`\`${outcome}\``)).toBe(true);
    if (OF_OAUTH.includes(type)) return;
    const example = problemAnswer.parse(page.example);
    expect(example).toMatchObject({
      type: page.uri,
      status,
      title,
      retryable,
      outcome,
      detail: EXAMPLES[type].message,
    });
    expect(example.retryAfterSeconds !== undefined).toBe(retryable);
  });

  it.each(OF_OAUTH)('shows %s as an error of OAuth', (type) => {
    const { uri, example } = problemPage(type, 'https://api.example.com/problems', ROUTES);
    expect(oauthErrorAnswer.parse(example)).toMatchObject({
      error_uri: uri,
      error_description: EXAMPLES[type].message,
    });
  });

  it.each(PROBLEM_TYPES)('has the error code of OAuth for %s', (type) => {
    const { status, retryable } = PROBLEMS[type];
    const others = retryable ? 'temporarily_unavailable' : status < 500 ? 'invalid_request' : 'server_error';
    expect(oauthErrorCode(type)).toBe(OAUTH_CODES[type] ?? others);
  });

  it('has only the characters in an error of OAuth that RFC 6749 allows', () => {
    const { error_description: description } = oauthErrorBody(
      'invalid-scope',
      { detail: '“The” company’s "x" \\ é' },
      '',
    );
    expect(description).toBe("'The' company's 'x' ' ?");
  });

  it('tells clients not to retry a team without a translator', () => {
    expect(EXPLANATIONS['team-without-translator'].remedy).toMatch(/Do NOT retry/);
  });

  const [TASKS, LINES, DELIVERIES] = PROBLEMS_BEYOND_HTTP.map(({ name }) => name);

  it.each(PROBLEM_TYPES)('names who gets %s', (type) => {
    expect(problemPage(type, '', ROUTES).answeredBy).not.toEqual([]);
  });

  it.each([
    ['internal-error', ['every operation', 'the gateway, before it calls an operation', TASKS, LINES, DELIVERIES]],
    ['scope-missing', ['every operation that requires credentials', DELIVERIES]],
    [
      'custom-id-in-use',
      [
        '`createProject`: `POST /segments/projects`',
        '`putProject`: `PUT /segments/projects/{id}`',
        '`putProjectByCustomId`: `PUT /segments/projects/custom/{customId}`',
        TASKS,
        LINES,
        DELIVERIES,
      ],
    ],
    ['company-not-found', [TASKS, LINES, DELIVERIES]],
    ['mapping-failed', [DELIVERIES]],
    ['fetch-failed', [DELIVERIES]],
    ['method-not-allowed', ['the gateway, before it calls an operation']],
    [
      'route-not-found',
      [
        '`getProblemType`: `GET /problems/{type}`',
        '`getReferenceFile`: `GET /docs/{file}`',
        '`getSecurityText`: `GET /.well-known/security.txt`',
        'the gateway, before it calls an operation',
      ],
    ],
  ] as const)('lists the operations that answer with %s', (type, expected) => {
    expect(problemPage(type, '', ROUTES).answeredBy).toEqual(expected);
  });
});

describe('a problem', () => {
  it('has the body of RFC 9457, from the catalogue and the occurrence', () => {
    const problem = new Problem('unavailable', { detail: 'Not now.', retryAfterSeconds: 5 });
    expect(problem.body('https://api.example.com/problems', 'r-1')).toStrictEqual({
      type: 'https://api.example.com/problems/unavailable',
      title: 'Segue is unavailable',
      status: 503,
      detail: 'Not now.',
      instance: 'r-1',
      retryable: true,
      retryAfterSeconds: 5,
      outcome: 'not-applied',
    });
  });

  it('has a hundred faults at most', () => {
    const errors = Array.from({ length: 101 }, () => ({ pointer: '', code: 'required', detail: 'Missing.' }) as const);
    expect(new Problem('invalid-project', { detail: 'Many.', errors }).body('', '').errors).toHaveLength(100);
  });

  it('is an error with the name of its type, and keeps its cause out of the body', () => {
    const cause = new Error('inner');
    const problem = new Problem('outcome-unknown', { detail: 'Lost.' }, { cause });
    expect(problem).toMatchObject({ name: 'outcome-unknown', message: 'Lost.', cause });
    expect(JSON.stringify(problem.body('', ''))).not.toMatch(/inner|stack|wwwAuthenticate/);
  });
});

describe('the gateway’s own responses', () => {
  it('have each type once, and never say that a request was applied', () => {
    const types = GATEWAY_RESPONSES.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    for (const { problem } of GATEWAY_RESPONSES) expect(PROBLEMS[problem].outcome).not.toBe('applied');
  });

  it('ask for credentials wherever these are missing or wrong', () => {
    const refusals = GATEWAY_RESPONSES.filter(({ problem }) => problem === 'unauthenticated');
    expect(refusals).toHaveLength(5);
    for (const refusal of refusals) expect(problemHeaders(refusal.problem, refusal)).toHaveProperty('WWW-Authenticate');
  });

  it('say when the next request is allowed, for people and for clients that read RateLimit', () => {
    const refusals: readonly GatewayResponse[] = GATEWAY_RESPONSES.filter(({ problem }) => problem === 'rate-limited');
    const seconds = refusals.map((refusal) => {
      const { 'Retry-After': after, RateLimit: limit } = problemHeaders(refusal.problem, refusal);
      expect(limit).toBe(`"requests";r=0;t=${after}`);
      return [refusal.type, after];
    });
    expect(seconds).toEqual([
      ['WAF_FILTERED', '60'],
      ['THROTTLED', '1'],
      ['QUOTA_EXCEEDED', '1'],
    ]);
  });
});
