import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { METHOD_RATES } from '../../../infra/api/method-rates.ts';
import { GATEWAY_RESPONSES, type GatewayResponse } from '../../../lib/contract/gateway-responses.ts';
import { methodNotAllowed } from '../../../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../../../lib/contract/problems.ts';
import { type Route, servedMethods } from '../../../lib/contract/routes.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { bodyOf, constructOf, gatewayResponsesOf, methodRatesOf, methodsOf, propertiesOf } from '../template.ts';

const routes: readonly Route[] = ROUTES;
const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, on]) => ({
  path,
  allow: on.flatMap(servedMethods).join(', '),
}));

/** Tests the API: its methods, limits, access log and gateway responses. */
export function api(template: Template): void {
  const body = bodyOf(template);
  const methods = methodsOf(template);
  const gatewayResponses = gatewayResponsesOf(template);

  const served = routes.flatMap((route) => servedMethods(route).map((method) => ({ ...route, method })));
  it.each(served)('serves $method $path with $function', ({ id, method, path, scope, function: name }) => {
    const found = methods.get(`${method} ${path}`);
    expect(found?.operationId).toBe(method === 'HEAD' ? undefined : id);
    expect(found?.security).toEqual(scope === null ? undefined : [{ authorizer: [] }, { api_key: [] }]);
    const integration = found?.['x-amazon-apigateway-integration'];
    expect(integration).toMatchObject({ type: 'aws_proxy', httpMethod: 'POST', timeoutInMillis: 29_000 });
    expect(integration?.uri).toContain(`:lambda:path/2015-03-31/functions/${constructOf(name)}Live/invocations`);
  });

  it.each(paths)('answers any other method on $path with 405 and Allow: $allow', ({ path, allow }) => {
    const found = methods.get(`ANY ${path}`);
    const headers = {
      'method.response.header.Allow': `'${allow}'`,
      'method.response.header.Content-Type': "'application/problem+json'",
      'method.response.header.X-Content-Type-Options': "'nosniff'",
      'method.response.header.Cache-Control': "'no-store'",
      'method.response.header.Strict-Transport-Security': "'max-age=31536000'",
      'method.response.header.X-Request-Id': 'context.extendedRequestId',
    };
    const declared = Object.keys(headers).map((name) => name.replace('method.response.header.', ''));
    expect(found?.security).toBeUndefined();
    expect(Object.keys(Object(found?.['responses'])[405].headers).sort()).toEqual(declared.sort());
    const integration = found?.['x-amazon-apigateway-integration'];
    expect(integration).toMatchObject({
      type: 'mock',
      contentHandling: 'CONVERT_TO_TEXT',
      requestTemplates: { 'application/json': '{"statusCode":405}', $default: '{"statusCode":405}' },
      responses: { default: { statusCode: '405', contentHandling: 'CONVERT_TO_TEXT', responseParameters: headers } },
    });
    const answer = integration?.responses?.default;
    expectProblem(answer?.responseTemplates['application/json'], 'method-not-allowed', {
      detail: methodNotAllowed(allow.split(', ')).detail,
    });
  });

  it('has no other method', () => {
    expect(methods.size).toBe(served.length + paths.length);
  });

  it('lets callers without credentials reach only operations without a scope, and methods that the gateway refuses', () => {
    const open = routes.filter(({ scope }) => scope === null);
    const expected = open.flatMap((route) => servedMethods(route).map((method) => `${method} ${route.path}`));
    const found = [...methods].filter(([, { security }]) => security === undefined).map(([target]) => target);
    expect(found.filter((target) => !target.startsWith('ANY ')).sort()).toEqual(expected.sort());
    for (const [target, method] of methods) {
      const { type } = method['x-amazon-apigateway-integration'];
      expect(type, target).toBe(target.startsWith('ANY ') ? 'mock' : 'aws_proxy');
    }
  });

  it('allows no other origin, and validates no request: the functions report all faults at once', () => {
    const text = JSON.stringify(body);
    expect(text).not.toMatch(/access-control-/i);
    expect(text).not.toContain('x-amazon-apigateway-request-validator');
    expect([...methods.keys()].filter((target) => target.startsWith('OPTIONS '))).toEqual([]);
    expect(text).not.toContain('x-amazon-apigateway-cors');
  });

  it('passes the Authorization header to the authorizer, and caches its answer for 30 seconds and one address', () => {
    expect(body).toMatchObject({
      components: {
        securitySchemes: {
          authorizer: {
            'x-amazon-apigateway-authtype': 'custom',
            'x-amazon-apigateway-authorizer': {
              type: 'request',
              identitySource: 'method.request.header.Authorization, context.identity.sourceIp',
              authorizerResultTtlInSeconds: 30,
              authorizerUri: {
                'Fn::Join': ['', expect.arrayContaining([{ Ref: expect.stringMatching(/^AuthorizerLive/) }])],
              },
            },
          },
        },
      },
    });
  });

  it('passes bodies byte for byte at a regional endpoint, without compression', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      Parameters: { endpointConfigurationTypes: 'REGIONAL' },
      MinimumCompressionSize: Match.absent(),
    });
    expect(body).toMatchObject({ 'x-amazon-apigateway-binary-media-types': ['*/*'] });
  });

  it('accepts TLS 1.2 and newer', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      SecurityPolicy: 'TLS_1_2',
      EndpointAccessMode: Match.absent(),
    });
  });

  it('limits the rate of each company by the key that the authorizer returns', () => {
    expect(body).toMatchObject({ 'x-amazon-apigateway-api-key-source': 'AUTHORIZER' });
    template.hasResourceProperties('AWS::ApiGateway::UsagePlan', {
      Throttle: { RateLimit: 50, BurstLimit: 100 },
      Quota: Match.absent(),
      ApiStages: [{ Stage: { Ref: Match.anyValue() } }],
    });
    expect(methodRatesOf(template).get('* /*')).toEqual([1_000, 2_000]);
  });

  it('limits operations that strangers can call, and large ones, further', () => {
    const rates = methodRatesOf(template);
    const limited = routes.filter(({ id }) => id in METHOD_RATES);
    expect(new Set(rates.keys())).toEqual(
      new Set(['* /*', ...limited.flatMap((route) => servedMethods(route).map((method) => `${method} ${route.path}`))]),
    );
    for (const method of ['POST /segments/projects', 'PUT /segments/projects/{id}'])
      expect(rates.get(method)).toEqual([200, 400]);
    expect(rates.get('POST /webhooks/{source}')).toEqual([500, 1_000]);
    const open = routes.filter(({ scope }) => scope === null).flatMap(({ path }) => rates.get(`GET ${path}`) ?? []);
    expect(Math.max(...open)).toBeLessThan(1_000);
    for (const { id, scope } of routes) if (scope === null) expect(METHOD_RATES).toHaveProperty(id);
  });

  it('logs requests by their routes, without content', () => {
    const { AccessLogSetting } = Object([...propertiesOf(template, 'AWS::ApiGateway::Stage').values()][0]);
    const variables = Object.values(JSON.parse(AccessLogSetting.Format));
    expect(variables).toContain('$context.resourcePath');
    const content = /path$|identity|header|querystring|error\.message/;
    expect(variables.filter((name) => content.test(String(name)) && name !== '$context.resourcePath')).toEqual([]);
    template.hasResource('AWS::ApiGateway::Account', { DeletionPolicy: 'Retain' });
  });

  it.each<GatewayResponse>(GATEWAY_RESPONSES)(
    'answers $problem for $type',
    ({ type, problem, detail, ...particulars }) => {
      const found = gatewayResponses.get(type);
      const { wwwAuthenticate, retryAfterSeconds } = particulars;
      expect(found?.statusCode).toBe(String(PROBLEMS[problem].status));
      expect(found?.responseParameters).toEqual({
        'gatewayresponse.header.Content-Type': "'application/problem+json'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.Strict-Transport-Security': "'max-age=31536000'",
        'gatewayresponse.header.X-Request-Id': 'context.extendedRequestId',
        ...(wwwAuthenticate && { 'gatewayresponse.header.WWW-Authenticate': `'${wwwAuthenticate}'` }),
        ...(retryAfterSeconds && { 'gatewayresponse.header.Retry-After': `'${retryAfterSeconds}'` }),
        ...(problem === 'rate-limited' && {
          'gatewayresponse.header.RateLimit': `'"requests";r=0;t=${retryAfterSeconds}'`,
        }),
      });
      expectProblem(found?.responseTemplates['application/json'], problem, {
        detail,
        ...(retryAfterSeconds && { retryAfterSeconds }),
      });
    },
  );

  it('has no other gateway response', () => {
    expect(gatewayResponses.size).toBe(GATEWAY_RESPONSES.length);
  });
}

/** Expects the problem in the template of a body. */
function expectProblem(template: string | undefined, type: ProblemType, particulars: object): void {
  const { status, title, retryable, outcome } = PROBLEMS[type];
  const uri = `https://$context.domainName/$context.stage/problems/${type}`;
  const common = { type: uri, title, status, instance: '$context.extendedRequestId', retryable, outcome };
  expect(JSON.parse(template ?? '')).toEqual({ ...common, ...particulars });
}
