import { expect, it } from 'vitest';
import { exchange } from '../support/raw-http.ts';
import { AUTHORIZATION, head, policy, startFixture } from './world.ts';

it('builds the event of a request with a body', async () => {
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

it('has null in place of a missing body and query', async () => {
  const { url, only } = await startFixture();
  await fetch(`${url}/health`);
  expect(only().event).toMatchObject({
    body: null,
    isBase64Encoded: false,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
  });
});

it('keeps the case and every value of headers, and adds to the forwarded ones', async () => {
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

it.each([
  ['custom/a%2Fb', '/segments/projects/custom/{customId}', { customId: 'a/b' }],
  ['custom/a%252Fb/', '/segments/projects/custom/{customId}', { customId: 'a%2Fb' }],
  ['custom/%ff', '/segments/projects/custom/{customId}', { customId: '%ff' }],
  ['custom/custom', '/segments/projects/custom/{customId}', { customId: 'custom' }],
  ['custom', '/segments/projects/{id}', { id: 'custom' }],
  ['a+b', '/segments/projects/{id}', { id: 'a+b' }],
  ['..', '/segments/projects/{id}', { id: '..' }],
])('keeps the path %s encoded, and decodes its parameters', async (path, resource, pathParameters) => {
  const { port, only } = await startFixture();
  await exchange(port, head('GET', `/segments/projects/${path}`, 'Connection: close\r\n'));
  const { event } = only();
  expect(event).toMatchObject({ resource, path: `/segments/projects/${path}`, pathParameters });
  expect(event.requestContext.path).toBe(event.path);
});

it.each([
  ['taskId=a+b%2Bc', { taskId: ['a b+c'] }],
  ['taskId=a%252Fb', { taskId: ['a%2Fb'] }],
  ['taskId=1&taskId=2;x=2', { taskId: ['1', '2'], x: ['2'] }],
  ['task%49d=a=b', { taskId: ['a=b'] }],
  ['a&&b=', { a: [''], b: [''] }],
  ['=x', { '': ['x'] }],
  ['?a=b', { '?a': ['b'] }],
  ['', null],
  ['&', null],
])('reads the query "%s"', async (query, all) => {
  const { url, only } = await startFixture();
  await fetch(`${url}/segments/projects/1?${query}`, { method: 'DELETE', headers: AUTHORIZATION });
  const { event } = only();
  expect(event.multiValueQueryStringParameters).toEqual(all);
  const last = all && Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.at(-1)]));
  expect(event.queryStringParameters).toEqual(last);
});

it('passes the values of the authorizer as text, and the time that is left', async () => {
  const { url, only } = await startFixture({
    now: () => 1_000,
    authorizer: async () => policy('Allow', '*', { companyId: 'acme', number: 1, yes: true }),
  });
  await fetch(`${url}/segments/projects`, { headers: AUTHORIZATION });
  const { event, context } = only();
  const authorizer = { principalId: 'acme', companyId: 'acme', number: '1', yes: 'true', integrationLatency: 0 };
  expect(event.requestContext.authorizer).toEqual(authorizer);
  expect(context.getRemainingTimeInMillis()).toBe(29_000);
  expect(context.functionName).toBe('listProjects');
  expect(context.awsRequestId).not.toBe(event.requestContext.requestId);
});
