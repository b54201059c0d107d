import { expect, it } from 'vitest';
import { WWW_AUTHENTICATE } from '../../lib/contract/gateway-responses.ts';
import { createAuthorizer } from '../../local/authorizer.ts';
import { WrongCredentials } from '../../local/wrong-credentials.ts';
import { exchange, statusOf } from '../support/raw-http.ts';
import { AUTHORIZATION, policy, startFixture } from './world.ts';

const PROJECT = '/segments/projects/42';

it('without credentials the authorizer is not asked', async () => {
  const { url, authorized, calls } = await startFixture();
  for (const headers of [{}, { Authorization: '' }]) {
    const answer = await fetch(url + PROJECT, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(WWW_AUTHENTICATE);
    expect(await answer.json()).toMatchObject({ status: 401, instance: answer.headers.get('x-request-id') });
  }
  expect(authorized).toEqual([]);
  expect(calls).toEqual([]);
});

it('two Authorization headers name no caller', async () => {
  const { port, authorized } = await startFixture();
  const head = `GET ${PROJECT} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
  expect(statusOf(await exchange(port, `${head}Authorization: a\r\nauthorization: b\r\n\r\n`))).toBe(401);
  expect(authorized).toEqual([]);
});

it('operations without a scope ask for no credentials', async () => {
  const { url, authorized, only } = await startFixture();
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(only().event.requestContext.authorizer).toBeUndefined();
  expect(authorized).toEqual([]);
});

it('the authorizer gets the request without its body', async () => {
  const { url, authorized } = await startFixture();
  await fetch(`${url}/segments/projects?validateOnly=true`, { method: 'POST', headers: AUTHORIZATION, body: '{}' });
  expect(authorized[0]).toMatchObject({
    type: 'REQUEST',
    methodArn: 'arn:aws:execute-api:local:000000000000:local/local/POST/segments/projects',
    resource: '/segments/projects',
    path: '/segments/projects',
    httpMethod: 'POST',
    headers: AUTHORIZATION,
    queryStringParameters: { validateOnly: 'true' },
  });
  expect(authorized[0]).not.toHaveProperty('body');
});

it('the header is found whatever its case', async () => {
  const { port } = await startFixture();
  const answer = await exchange(
    port,
    `GET ${PROJECT} HTTP/1.1\r\nHost: a\r\nAUTHORIZATION: x\r\nConnection: close\r\n\r\n`,
  );
  expect(statusOf(answer)).toBe(200);
});

const failures = [
  ['throws Unauthorized', () => Promise.reject(new Error('Unauthorized')), 401, 0],
  ['throws anything else', () => Promise.reject(new Error('unauthorized')), 503, 1],
  ['never answers', () => new Promise(() => {}), 503, 1],
  ['denies', async () => policy('Deny', '*'), 401, 0],
  [
    'allows another method',
    async () => policy('Allow', 'arn:aws:execute-api:local:000000000000:local/local/GET/health'),
    401,
    0,
  ],
  ['returns nothing', async () => undefined, 503, 1],
  ['returns context that is no text', async () => policy('Allow', '*', { scopes: ['read'] }), 503, 1],
] as const;

it.each(failures)('an authorizer that %s', async (_what, authorizer, status, reported) => {
  const { url, calls, failures } = await startFixture({ authorizer, timeoutMs: 50 });
  const answer = await fetch(url + PROJECT, { headers: AUTHORIZATION });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? WWW_AUTHENTICATE : null);
  expect(calls).toEqual([]);
  expect(failures).toHaveLength(reported);
});

it('a policy is kept for its credentials until it expires, and judged anew for each method', async () => {
  let nowMs = 0;
  const { url, authorized } = await startFixture({
    now: () => nowMs,
    authorizerTtlMs: 1_000,
    authorizer: async () => policy('Allow', 'arn:aws:execute-api:local:000000000000:local/local/GET/*'),
  });
  const ask = async (method: string, authorization: string) =>
    (await fetch(url + PROJECT, { method, headers: { Authorization: authorization } })).status;
  expect(await ask('GET', 'a')).toBe(200);
  expect(await ask('DELETE', 'a')).toBe(401);
  expect(authorized).toHaveLength(1);
  expect(await ask('GET', 'b')).toBe(200);
  expect(authorized).toHaveLength(2);
  nowMs = 1_000;
  expect(await ask('GET', 'a')).toBe(200);
  expect(authorized).toHaveLength(3);
  nowMs = -3_600_000;
  expect(await ask('GET', 'a')).toBe(200);
  expect(authorized).toHaveLength(4);
});

it('a refusal is not kept', async () => {
  let known = false;
  const { url } = await startFixture({
    authorizer: async () => {
      if (!known) throw new Error('Unauthorized');
      return policy('Allow', '*');
    },
  });
  expect((await fetch(url + PROJECT, { headers: AUTHORIZATION })).status).toBe(401);
  known = true;
  expect((await fetch(url + PROJECT, { headers: AUTHORIZATION })).status).toBe(200);
});

it('only so many policies are kept, and the oldest goes first', async () => {
  const { url, only } = await startFixture();
  await fetch(`${url}/health`);
  const { event } = only();
  let asked = 0;
  const authorize = createAuthorizer({
    now: () => 0,
    ttlMs: 1_000,
    maxEntries: 2,
    wrongCredentials: new WrongCredentials({ rate: undefined, now: () => 0 }),
    async call() {
      asked += 1;
      return policy('Allow', '*');
    },
  });
  for (const identity of ['a', 'b', 'b', 'c', 'c', 'b']) await authorize(event, identity);
  expect(asked).toBe(3);
  await authorize(event, 'a');
  expect(asked).toBe(4);
});
