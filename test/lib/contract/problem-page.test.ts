import { describe, expect, it } from 'vitest';
import { EXAMPLES, problemPage } from '../../../lib/contract/problem-page.ts';
import { PROBLEM_TYPES, PROBLEMS } from '../../../lib/contract/problems.ts';
import { problemAnswer } from '../../contract/answers.ts';

const URL = 'https://api.example.com/v1/problems';

describe.each(PROBLEM_TYPES)('the page of %s', (type) => {
  const page = problemPage(type, URL);

  it('says what the catalogue says', () => {
    const { status, title, retryable, outcome } = PROBLEMS[type];
    expect(page).toMatchObject({ type, uri: `${URL}/${type}`, status, title });
    expect(page.retry.startsWith('yes')).toBe(retryable);
    expect(page.outcome.startsWith(`\`${outcome}\``)).toBe(true);
  });

  it('has an example that is such a problem, and says when to come back where that helps', () => {
    const example = problemAnswer.parse(page.example);
    const { status, title, retryable, outcome } = PROBLEMS[type];
    expect(example).toMatchObject({ type: page.uri, status, title, retryable, outcome, detail: EXAMPLES[type].detail });
    expect(example.retryAfterSeconds !== undefined).toBe(retryable);
  });
});

describe('who answers with a problem', () => {
  it.each([
    ['internal-error', ['every operation', 'the gateway, before it calls an operation']],
    ['scope-missing', ['every operation that requires credentials']],
    [
      'unauthenticated',
      [
        'every operation that requires credentials',
        '`obtainToken`: `POST /authentication/token`',
        '`refreshToken`: `POST /authentication/RefreshToken`',
        'the gateway, before it calls an operation',
      ],
    ],
    ['custom-id-in-use', ['`createProject`: `POST /segments/projects`']],
    ['method-not-allowed', ['the gateway, before it calls an operation']],
    ['route-not-found', ['`getProblemType`: `GET /problems/{type}`', 'the gateway, before it calls an operation']],
    ['invalid-signature', ['`receiveWebhook`: `POST /webhooks/{source}`']],
    ['company-suspended', ['`receiveWebhook`: `POST /webhooks/{source}`']],
  ] as const)('%s', (type, expected) => {
    expect(problemPage(type, URL).answeredBy).toEqual(expected);
  });
});
