import { expect, it } from 'vitest';
import { exchange } from '../support/raw-http.ts';
import { AUTHORIZATION, policy, startFixture } from './world.ts';

it('the event of a request with a body', async () => {
  const { url, port, only } = await startFixture({ now: () => Date.UTC(2026, 10, 20, 12, 34, 56) });
  await fetch(`${url}/segments/projects?validateOnly=true`, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'Content-Type': 'application/json', 'User-Agent': 'test/1' },
    body: '{"name":"ä"}',
  });
  const { event, operation } = only();
  expect(operation).toBe('createProject');
  expect(event).toMatchObject({
    resource: '/segments/projects',
    path: '/segments/projects',
    httpMethod: 'POST',
    queryStringParameters: { validateOnly: 'true' },
    multiValueQueryStringParameters: { validateOnly: ['true'] },
    pathParameters: null,
    stageVariables: null,
    body: Buffer.from('{"name":"ä"}').toString('base64'),
    isBase64Encoded: true,
    requestContext: {
      path: '/segments/projects',
      resourcePath: '/segments/projects',
      httpMethod: 'POST',
      domainName: `127.0.0.1:${port}`,
      protocol: 'HTTP/1.1',
      requestTimeEpoch: Date.UTC(2026, 10, 20, 12, 34, 56),
      requestTime: '20/Nov/2026:12:34:56 +0000',
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
      identity: { sourceIp: '127.0.0.1', userAgent: 'test/1' },
    },
  });
  expect(event.headers).toMatchObject({
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Port': String(port),
    'X-Forwarded-Proto': 'http',
  });
});

it('a request without body and query has null in their place', async () => {
  const { url, only } = await startFixture();
  await fetch(`${url}/health`);
  expect(only().event).toMatchObject({
    body: null,
    isBase64Encoded: false,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
  });
});

it('headers keep their case and every value; the last one stands alone', async () => {
  const { port, only } = await startFixture();
  await exchange(
    port,
    'GET /health HTTP/1.1\r\nHost: Api.Test:1\r\naCCept: a\r\naCCept: b\r\n__proto__: x\r\n' +
      'x-forwarded-for: 192.0.2.1\r\nX-FORWARDED-PROTO: https\r\nConnection: close\r\n\r\n',
  );
  const { event } = only();
  expect(event.headers['aCCept']).toBe('b');
  expect(event.multiValueHeaders['aCCept']).toEqual(['a', 'b']);
  expect(Object.getOwnPropertyDescriptor(event.multiValueHeaders, '__proto__')?.value).toEqual(['x']);
  expect(event.headers['X-Forwarded-For']).toBe('192.0.2.1, 127.0.0.1');
  expect(event.headers['X-Forwarded-Proto']).toBe('http');
  expect(event.headers['X-FORWARDED-PROTO']).toBeUndefined();
  expect(event.requestContext.domainName).toBe('Api.Test:1');
});

const ids = [
  ['a%2Fb', 'a/b'],
  ['a%252Fb', 'a%2Fb'],
  ['%E2%82%AC', '€'],
  ['a+b', 'a+b'],
  ['..', '..'],
  ['a;b=c', 'a;b=c'],
] as const;

it.each(ids)('the path keeps %s encoded, and its parameter is %s', async (raw, decoded) => {
  const { port, only } = await startFixture();
  await exchange(
    port,
    `GET /segments/projects/custom/${raw} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nConnection: close\r\n\r\n`,
  );
  const { event } = only();
  expect(event.path).toBe(`/segments/projects/custom/${raw}`);
  expect(event.requestContext.path).toBe(event.path);
  expect(event.pathParameters).toEqual({ customId: decoded });
});

const queries = [
  ['taskId', { taskId: [''] }],
  ['taskId=', { taskId: [''] }],
  ['taskId=a+b%2Bc', { taskId: ['a b+c'] }],
  ['taskId=a%252Fb', { taskId: ['a%2Fb'] }],
  ['taskId=1&taskId=2', { taskId: ['1', '2'] }],
  ['taskId=1;x=2', { taskId: ['1'], x: ['2'] }],
  ['task%49d=a=b', { taskId: ['a=b'] }],
  ['a&&b=', { a: [''], b: [''] }],
  ['=x', { '': ['x'] }],
  ['?a=b', { '?a': ['b'] }],
  ['', null],
  ['&', null],
] as const;

it.each(queries)('the query "%s"', async (query, all) => {
  const { url, only } = await startFixture();
  await fetch(`${url}/segments/projects/1?${query}`, { method: 'DELETE', headers: AUTHORIZATION });
  const { event } = only();
  expect(event.multiValueQueryStringParameters).toEqual(all);
  const last = all && Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.at(-1)]));
  expect(event.queryStringParameters).toEqual(last);
});

it('a function learns what the authorizer found out, as text, and how long it may take', async () => {
  const { url, only } = await startFixture({
    now: () => 1_000,
    authorizer: async () => policy('Allow', '*', { companyId: 'acme', number: 1, yes: true }),
  });
  await fetch(`${url}/segments/projects`, { headers: AUTHORIZATION });
  const { event, context } = only();
  expect(event.requestContext.authorizer).toEqual({
    principalId: 'acme',
    companyId: 'acme',
    number: '1',
    yes: 'true',
    integrationLatency: 0,
  });
  expect(context.getRemainingTimeInMillis()).toBe(29_000);
  expect(context.functionName).toBe('listProjects');
  expect(context.awsRequestId).not.toBe(event.requestContext.requestId);
});
