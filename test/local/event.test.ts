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
  ['a%252F%2Fb', 'a%2F/b'],
  ['%ff', '%ff'],
])('keeps the path %s encoded, and decodes parameters once', async (segment, customId) => {
  const { port, only } = await startFixture();
  const path = `/segments/projects/custom/${segment}`;
  await exchange(port, head('GET', `${path}?x=a+b%252F&x=2&?y=&&`, 'Connection: close\r\n'));
  expect(only().event).toMatchObject({
    resource: '/segments/projects/custom/{customId}',
    path,
    requestContext: { path },
    pathParameters: { customId },
    queryStringParameters: { x: '2', '?y': '' },
    multiValueQueryStringParameters: { x: ['a b%2F', '2'], '?y': [''] },
  });
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
