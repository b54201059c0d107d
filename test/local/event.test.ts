import { expect, it } from 'vitest';
import { readQuery } from '../../local/target.ts';
import { exchange } from '../support/raw-http.ts';
import { ALLOWED, AUTHORIZATION, head, startFixture } from './world.ts';

it('builds the event of a request, with the authorizer’s values and the remaining time', async () => {
  const { url, port, only } = await startFixture();
  await fetch(`${url}/segments/projects?validateOnly=true`, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'Content-Type': 'application/json' },
    body: '{"name":"ä"}',
  });
  const { event, operation, context } = only();
  expect(operation).toBe('createProject');
  expect(event).toMatchObject({
    resource: '/segments/projects',
    path: '/segments/projects',
    httpMethod: 'POST',
    queryStringParameters: { validateOnly: 'true' },
    multiValueQueryStringParameters: { validateOnly: ['true'] },
    body: Buffer.from('{"name":"ä"}').toString('base64'),
    isBase64Encoded: true,
    requestContext: {
      path: '/segments/projects',
      domainName: `127.0.0.1:${port}`,
      extendedRequestId: expect.stringMatching(/^[\da-f-]{36}$/),
      identity: { sourceIp: '127.0.0.1' },
      authorizer: { ...ALLOWED.context, principalId: 'acme', integrationLatency: 0 },
    },
  });
  expect(event.headers).toMatchObject({
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Port': String(port),
    'X-Forwarded-Proto': 'http',
  });
  expect(context.getRemainingTimeInMillis()).toBe(29_000);
  expect(context.functionName).toBe('createProject');
  expect(context.awsRequestId).not.toBe(event.requestContext.extendedRequestId);
});

it('has an id that no header of the client chooses', async () => {
  const { url, only } = await startFixture();
  const chosen = '00000000-0000-4000-8000-000000000000';
  const headers = { 'X-Request-Id': chosen, 'X-Amzn-RequestId': chosen, 'X-Amzn-Trace-Id': chosen };
  const absent = await fetch(`${url}/absent`, { headers });
  await fetch(`${url}/health`, { headers });
  const instance = absent.headers.get('x-request-id');
  expect(await absent.json()).toMatchObject({ instance });
  for (const id of [instance, only().event.requestContext.extendedRequestId]) {
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(id).not.toBe(chosen);
  }
});

it('has null for a missing body and query', async () => {
  const { url, only } = await startFixture();
  await fetch(`${url}/health`);
  expect(only().event).toMatchObject({
    body: null,
    isBase64Encoded: false,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
  });
});

it('keeps the case and every value of headers, and appends to the forwarding headers', async () => {
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

it.each(['a%252F%2Fb', '%ff'])('keeps the path %s encoded, and decodes parameters once', async (segment) => {
  const { port, only } = await startFixture();
  const path = `/segments/projects/custom/${segment}`;
  await exchange(port, head('GET', `${path}?x=a+b%252F&x=2&?y=&&;z`, 'Connection: close\r\n'));
  expect(only().event).toMatchObject({
    resource: '/segments/projects/custom/{customId}',
    path,
    requestContext: { path },
    queryStringParameters: { x: '2', '?y': '', z: '' },
    multiValueQueryStringParameters: { x: ['a b%2F', '2'], '?y': [''], z: [''] },
  });
});

it('reads many parameters in a time that grows with their number, not with its square', () => {
  const names = Array.from({ length: 100_000 }, (_, number) => `name${number}`);
  expect(readQuery(names.join('&'))?.size).toBe(names.length);
});
