import { describe, expect, it } from 'vitest';
import { GATEWAY_RESPONSES } from '../../../lib/contract/gateway-responses.ts';
import { Problem, problemHeaders } from '../../../lib/contract/problem.ts';
import { EXPLANATIONS } from '../../../lib/contract/problem-explanations.ts';
import { PROBLEM_TYPES, PROBLEMS, type ProblemEntry } from '../../../lib/contract/problems.ts';

/** The published statuses, and the types that have them. */
const STATUSES: Readonly<Record<number, readonly string[]>> = {
  400: [
    'malformed-json',
    'invalid-project',
    'invalid-parameter',
    'unknown-parameter',
    'unexpected-body',
    'invalid-header',
  ],
  401: ['unauthenticated', 'invalid-signature', 'company-suspended'],
  403: ['scope-missing'],
  404: [
    'project-not-found',
    'task-not-found',
    'operation-not-found',
    'source-not-found',
    'company-not-found',
    'route-not-found',
  ],
  405: ['method-not-allowed'],
  406: ['not-acceptable'],
  409: ['custom-id-in-use', 'request-in-progress'],
  410: ['project-deleted'],
  413: ['too-large'],
  415: ['unsupported-media-type'],
  422: ['idempotency-key-reused', 'mapping-failed'],
  429: ['rate-limited'],
  500: ['team-without-translator', 'internal-error'],
  502: ['upstream-refused', 'upstream-invalid'],
  503: ['upstream-unavailable', 'unavailable'],
  504: ['outcome-unknown'],
};
const catalogue: readonly (readonly [string, ProblemEntry])[] = Object.entries(PROBLEMS);

/** The types that have something in common, in order of name. */
const typesWith = (holds: (entry: ProblemEntry) => boolean) =>
  catalogue.flatMap(([type, entry]) => (holds(entry) ? [type] : [])).sort();

describe('the catalogue', () => {
  it.each(Object.entries(STATUSES))('has for %s exactly the published types', (status, types) => {
    expect(typesWith((entry) => entry.status === Number(status))).toEqual([...types].sort());
  });

  it('has no other status', () => {
    expect([...new Set(catalogue.map(([, { status }]) => status))].sort()).toEqual(Object.keys(STATUSES).map(Number));
  });

  it('says of each outcome which types leave it', () => {
    expect(typesWith(({ outcome }) => outcome === 'applied')).toEqual(['project-deleted']);
    expect(typesWith(({ outcome }) => outcome === 'unknown')).toEqual([
      'internal-error',
      'outcome-unknown',
      'request-in-progress',
      'upstream-invalid',
    ]);
  });

  it('calls retryable only what may succeed as it is', () => {
    expect(typesWith(({ retryable }) => retryable)).toEqual([
      'rate-limited',
      'request-in-progress',
      'unavailable',
      'upstream-unavailable',
    ]);
  });

  it('says of the team’s 500 that it is not to be retried', () => {
    expect(PROBLEMS['team-without-translator']).toMatchObject({ retryable: false, outcome: 'not-applied' });
    expect(EXPLANATIONS['team-without-translator'].remedy).toMatch(/Do NOT retry/);
  });

  it.each(PROBLEM_TYPES)('has words for %s', (type) => {
    expect(type).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(PROBLEMS[type].title).toMatch(/^[A-Z].*[^.]$/);
    const { cause, remedy } = EXPLANATIONS[type];
    for (const text of [cause, remedy]) {
      expect(text).toMatch(/^[`A-Z].*\.$/);
      // Code is between two of them.
      expect(text.split('`').length % 2).toBe(1);
    }
  });
});

describe('a problem', () => {
  const errors = Array.from(
    { length: 101 },
    (_, n) => ({ pointer: `/${n}`, code: 'required', detail: 'Missing.' }) as const,
  );

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
    expect(new Problem('invalid-project', { detail: 'Many.', errors }).body('', '').errors).toHaveLength(100);
  });

  it('is an error by the name of its type, which no bundler renames', () => {
    const cause = new Error('inner');
    const problem = new Problem('outcome-unknown', { detail: 'Lost.' }, { cause });
    expect(problem).toMatchObject({ name: 'outcome-unknown', message: 'Lost.', cause });
    expect(JSON.stringify(problem.body('', ''))).not.toMatch(/inner|stack|wwwAuthenticate/);
  });
});

describe('what the gateway answers by itself', () => {
  it('has each response type once, with a problem that says nothing was done or that it cannot be told', () => {
    const types = GATEWAY_RESPONSES.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    for (const { problem } of GATEWAY_RESPONSES) expect(PROBLEMS[problem].outcome).not.toBe('applied');
  });

  it('asks for credentials wherever they are missing or wrong', () => {
    const refusals = GATEWAY_RESPONSES.filter(({ problem }) => problem === 'unauthenticated');
    expect(refusals.map((refusal) => Object.keys(problemHeaders(refusal)))).toEqual(
      refusals.map(() => ['Content-Type', 'X-Content-Type-Options', 'Cache-Control', 'WWW-Authenticate']),
    );
  });
});
