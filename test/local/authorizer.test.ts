import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { WWW_AUTHENTICATE } from '../../lib/contract/gateway-responses.ts';
import { createAuthorizer } from '../../local/authorizer.ts';
import { WrongCredentials } from '../../local/wrong-credentials.ts';
import { exchange, statusOf } from '../support/raw-http.ts';
import { ALLOWED, AUTHORIZATION, DENIED, startFixture } from './world.ts';

const PROJECT = '/segments/projects/42';

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
    methodArn: 'arn:aws:execute-api:local:000000000000:local/local/POST/segments/projects',
    resource: '/segments/projects',
    path: '/segments/projects',
    httpMethod: 'POST',
    headers: AUTHORIZATION,
    queryStringParameters: { validateOnly: 'true' },
    body: null,
  });
});

it.each([
  ['denies', async () => DENIED, 401, 0],
  ['throws an error', () => Promise.reject(new Error('Unauthorized')), 503, 1],
  ['never returns', () => new Promise<never>(() => {}), 503, 1],
])('refuses the request if it %s', async (_what, authorizer, status, reported) => {
  const { url, calls, failures } = await startFixture({ authorizer, timeoutMs: 50 });
  const response = await fetch(url + PROJECT, { headers: AUTHORIZATION });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  if (status === 401)
    expect(await response.json()).toMatchObject({
      detail: expect.stringMatching(/^The credentials are refused here\. Send /),
    });
  expect(response.headers.get('www-authenticate')).toBe(status === 401 ? WWW_AUTHENTICATE : null);
  expect(calls).toEqual([]);
  expect(failures).toHaveLength(reported);
});

it('caches a result for its credentials until it expires, and no refusal', async () => {
  let nowMs = 0;
  const { url, authorized } = await startFixture({
    now: () => nowMs,
    authorizerTtlMs: 1_000,
    async authorizer({ headers }) {
      return headers['authorization'] === 'wrong' ? DENIED : ALLOWED;
    },
  });
  const ask = async (method: string, authorization: string, calls: number) => {
    const { status } = await fetch(url + PROJECT, { method, headers: { authorization } });
    expect(authorized).toHaveLength(calls);
    return status;
  };
  expect(await ask('GET', 'a', 1)).toBe(200);
  expect(await ask('DELETE', 'a', 1)).toBe(200);
  expect(await ask('GET', 'wrong', 2)).toBe(401);
  expect(await ask('GET', 'wrong', 3)).toBe(401);
  nowMs = 1_000;
  expect(await ask('GET', 'a', 4)).toBe(200);
  nowMs = -3_600_000;
  expect(await ask('GET', 'a', 5)).toBe(200);
});

it('caches results for padded credentials without keeping the credentials', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const heapBytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const { url, authorized } = await startFixture();
  const event = await fetch(url + PROJECT, { headers: AUTHORIZATION }).then(() => authorized[0]);
  if (!event) throw new Error('The authorizer was not called');
  const now = () => 0;
  const wrongCredentials = new WrongCredentials(undefined, now);
  const authorize = createAuthorizer({ call: async () => ALLOWED, wrongCredentials, now, ttlMs: 1_000 });
  const before = heapBytes();
  for (let n = 0; n < 100; n++) await authorize(event, Buffer.alloc(1_000_000, `${n} `).toString('latin1'));
  expect(heapBytes() - before).toBeLessThan(50_000_000);
  await authorize(event, 'the cache is still in use');
});
