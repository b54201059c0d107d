import { expect, it } from 'vitest';
import { WWW_AUTHENTICATE } from '../../lib/contract/gateway-responses.ts';
import { createAuthorizer } from '../../local/authorizer.ts';
import { WrongCredentials } from '../../local/wrong-credentials.ts';
import { exchange, statusOf } from '../support/raw-http.ts';
import { AUTHORIZATION, policy, startFixture } from './world.ts';

const PROJECT = '/segments/projects/42';
const ARN = 'arn:aws:execute-api:local:000000000000:local/local';

it('is not called without credentials, with two of them, or by operations without a scope', async () => {
  const { url, port, authorized, only } = await startFixture();
  const response = await fetch(url + PROJECT, { headers: { Authorization: '' } });
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe(WWW_AUTHENTICATE);
  expect(await response.json()).toMatchObject({ status: 401, instance: response.headers.get('x-request-id') });
  const start = `GET ${PROJECT} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
  expect(statusOf(await exchange(port, `${start}\r\n`))).toBe(401);
  expect(statusOf(await exchange(port, `${start}Authorization: a\r\nauthorization: b\r\n\r\n`))).toBe(401);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(only().event.requestContext.authorizer).toBeUndefined();
  expect(authorized).toEqual([]);
});

it('gets the request without its body', async () => {
  const { url, authorized } = await startFixture();
  await fetch(`${url}/segments/projects?validateOnly=true`, { method: 'POST', headers: AUTHORIZATION, body: '{}' });
  expect(authorized[0]).toMatchObject({
    type: 'REQUEST',
    methodArn: `${ARN}/POST/segments/projects`,
    resource: '/segments/projects',
    path: '/segments/projects',
    httpMethod: 'POST',
    headers: AUTHORIZATION,
    queryStringParameters: { validateOnly: 'true' },
  });
  expect(authorized[0]).not.toHaveProperty('body');
});

const conditional = {
  ...policy('Allow', '*'),
  policyDocument: { Statement: [{ ...policy('Allow', '*').policyDocument.Statement[0], Condition: {} }] },
};

it.each([
  ['throws Unauthorized', () => Promise.reject(new Error('Unauthorized')), 401, 0],
  ['throws another error', () => Promise.reject(new Error('unauthorized')), 503, 1],
  ['never returns', () => new Promise(() => {}), 503, 1],
  ['denies', async () => policy('Deny', '*'), 401, 0],
  ['allows another method', async () => policy('Allow', `${ARN}/GET/health`), 401, 0],
  ['returns nothing', async () => undefined, 503, 1],
  ['allows under a condition', async () => conditional, 503, 1],
  ['returns context that is not text', async () => policy('Allow', '*', { scopes: ['read'] }), 503, 1],
])('refuses the request if it %s', async (_what, authorizer, status, reported) => {
  const { url, calls, failures } = await startFixture({ authorizer, timeoutMs: 50 });
  const response = await fetch(url + PROJECT, { headers: AUTHORIZATION });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('www-authenticate')).toBe(status === 401 ? WWW_AUTHENTICATE : null);
  expect(calls).toEqual([]);
  expect(failures).toHaveLength(reported);
});

it('caches a policy for its credentials until it expires, and judges each method by it', async () => {
  let nowMs = 0;
  const { url, authorized } = await startFixture({
    now: () => nowMs,
    authorizerTtlMs: 1_000,
    authorizer: async () => policy('Allow', `${ARN}/GET/*`),
  });
  const ask = async (method: string, authorization: string, calls: number) => {
    const { status } = await fetch(url + PROJECT, { method, headers: { Authorization: authorization } });
    expect(authorized).toHaveLength(calls);
    return status;
  };
  expect(await ask('GET', 'a', 1)).toBe(200);
  expect(await ask('DELETE', 'a', 1)).toBe(401);
  expect(await ask('GET', 'b', 2)).toBe(200);
  nowMs = 1_000;
  expect(await ask('GET', 'a', 3)).toBe(200);
  nowMs = -3_600_000;
  expect(await ask('GET', 'a', 4)).toBe(200);
});

it('does not cache a refusal', async () => {
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

it('caches a bounded number of policies, and drops the oldest', async () => {
  const { url, only } = await startFixture();
  await fetch(`${url}/health`);
  const { event } = only();
  let asked = 0;
  const authorize = createAuthorizer({
    now: () => 0,
    ttlMs: 1_000,
    wrongCredentials: new WrongCredentials({ rate: undefined, now: () => 0 }),
    async call() {
      asked += 1;
      return policy('Allow', '*');
    },
  });
  for (let n = 0; n <= 1_000; n++) await authorize(event, `${n}`);
  for (const n of [1, 1_000]) await authorize(event, `${n}`);
  expect(asked).toBe(1_001);
  await authorize(event, '0');
  expect(asked).toBe(1_002);
});
