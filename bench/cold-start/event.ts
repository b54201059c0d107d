import { smallProject } from '../../test/support/projects.ts';

const PATH = '/segments/projects';

/** What API Gateway sends for `POST /segments/projects` with a small project: a whole event, as some peers check it. */
export function creation(): string {
  const headers = { Accept: 'application/json', 'Content-Type': 'application/json', Host: 'api.example.com' };
  return JSON.stringify({
    resource: PATH,
    path: PATH,
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
      path: `/prod${PATH}`,
      protocol: 'HTTP/1.1',
      requestId: 'first',
      requestTime: '20/Nov/2026:09:37:30 +0000',
      requestTimeEpoch: Date.now(),
      resourcePath: PATH,
      stage: 'prod',
    },
    body: JSON.stringify(smallProject()),
    isBase64Encoded: false,
  });
}
