import { smallProject } from '../../test/support/projects.ts';
import { AUTHORIZATION, SENDER } from './stand-ins.ts';

const PROJECTS = '/segments/projects';

/**
 * Returns API Gateway's event for `POST /segments/projects` with a small project. The event is complete, because some
 * peers check it.
 */
export function creation(): string {
  return post(PROJECTS, PROJECTS, JSON.stringify(smallProject()), {});
}

/** Returns API Gateway's event for a message to the webhook source of the stand-ins. */
export function message(): string {
  const body = JSON.stringify({ text: 'x'.repeat(2_000) });
  return post('/webhooks/{source}', '/webhooks/bench', body, SENDER.sign({ body, atMs: 0, id: '' }));
}

/** Returns API Gateway's event for its authorizer. */
export function authorization(): string {
  return JSON.stringify({
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:eu-west-1:000000000000:segue/prod/POST${PROJECTS}`,
    resource: PROJECTS,
    path: PROJECTS,
    httpMethod: 'POST',
    headers: { Accept: 'application/json', Authorization: AUTHORIZATION, Host: 'api.example.com' },
    requestContext: { extendedRequestId: 'first', identity: { sourceIp: '192.0.2.1' } },
  });
}

function post(resource: string, path: string, body: string, more: Readonly<Record<string, string>>): string {
  const headers = { Accept: 'application/json', 'Content-Type': 'application/json', Host: 'api.example.com', ...more };
  return JSON.stringify({
    resource,
    path,
    httpMethod: 'POST',
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'segue',
      authorizer: {
        principalId: 'acme',
        integrationLatency: 5,
        companyId: 'acme',
        keyId: 'key',
        keyVersion: '1',
        scopes: 'create read delete',
      },
      domainName: 'api.example.com',
      httpMethod: 'POST',
      identity: { sourceIp: '192.0.2.1', userAgent: 'bench' },
      path: `/prod${path}`,
      protocol: 'HTTP/1.1',
      extendedRequestId: 'first',
      requestId: 'first',
      requestTime: '20/Nov/2026:09:37:30 +0000',
      requestTimeEpoch: Date.now(),
      resourcePath: resource,
      stage: 'prod',
    },
    body,
    isBase64Encoded: false,
  });
}
