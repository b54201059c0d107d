import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { METHOD_RATES } from '../../../infra/api/method-rates.ts';
import { GATEWAY_RESPONSES, type GatewayResponse } from '../../../lib/contract/gateway-responses.ts';
import { methodNotAllowed } from '../../../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../../../lib/contract/problems.ts';
import { type Route, servedMethods } from '../../../lib/contract/routes.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { constructOf, gatewayResponsesOf, methodRatesOf, methodsOf, propertiesOf } from '../template.ts';

const routes: readonly Route[] = ROUTES;
const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, on]) => ({
  path,
  allow: on.flatMap(servedMethods).join(', '),
}));

/** Tests the API: its methods, limits, access log and gateway responses. */
export function api(template: Template): void {
  const methods = methodsOf(template);
  const gatewayResponses = gatewayResponsesOf(template);

  const served = routes.flatMap((route) => servedMethods(route).map((method) => ({ ...route, method })));
  it.each(served)('serves $method $path with $function', ({ id, method, path, scope, function: name }) => {
    const found = methods.get(`${method} ${path}`);
    expect(found?.['OperationName']).toBe(method === 'HEAD' ? undefined : id);
    expect(found).toMatchObject({ Integration: { Type: 'AWS_PROXY', TimeoutInMillis: 29_000 } });
    expect(found?.Integration.Uri).toContain(`:lambda:path/2015-03-31/functions/${constructOf(name)}Live/`);
    expect(found?.AuthorizationType).toBe(scope === null ? 'NONE' : 'CUSTOM');
    expect(found?.AuthorizerId).toBe(scope === null ? undefined : 'ApiAuthorizer');
    expect(found?.ApiKeyRequired ?? false).toBe(scope !== null);
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
    const declared = Object.fromEntries(Object.keys(headers).map((name) => [name, true]));
    expect(found).toMatchObject({
      AuthorizationType: 'NONE',
      MethodResponses: [{ StatusCode: '405', ResponseParameters: declared }],
      Integration: {
        Type: 'MOCK',
        ContentHandling: 'CONVERT_TO_TEXT',
        RequestTemplates: { 'application/json': '{"statusCode":405}', $default: '{"statusCode":405}' },
        IntegrationResponses: [{ StatusCode: '405', ContentHandling: 'CONVERT_TO_TEXT', ResponseParameters: headers }],
      },
    });
    const [answer] = found?.Integration.IntegrationResponses ?? [];
    expectProblem(answer?.ResponseTemplates['application/json'], 'method-not-allowed', {
      detail: methodNotAllowed(allow.split(', ')).detail,
    });
  });

  it('has no other method', () => {
    expect(methods.size).toBe(served.length + paths.length);
  });

  it('passes the Authorization header to the authorizer, and caches its answer for 30 seconds and one address', () => {
    template.hasResourceProperties('AWS::ApiGateway::Authorizer', {
      Type: 'REQUEST',
      IdentitySource: 'method.request.header.Authorization,context.identity.sourceIp',
      AuthorizerResultTtlInSeconds: 30,
      AuthorizerUri: {
        'Fn::Join': ['', Match.arrayWith([{ Ref: Match.stringLikeRegexp('^AuthorizerLive') }])],
      },
    });
  });

  it('passes bodies byte for byte at a regional endpoint, without compression', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      BinaryMediaTypes: ['*/*'],
      EndpointConfiguration: { Types: ['REGIONAL'] },
      MinimumCompressionSize: Match.absent(),
    });
  });

  it('accepts TLS 1.2 and newer', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      SecurityPolicy: 'TLS_1_2',
      EndpointAccessMode: Match.absent(),
    });
  });

  it('limits the rate of each company by the key that the authorizer returns', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { ApiKeySourceType: 'AUTHORIZER' });
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
    expect(rates.get('POST /segments/projects')).toEqual([200, 400]);
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
      expect(found?.StatusCode).toBe(String(PROBLEMS[problem].status));
      expect(found?.ResponseParameters).toEqual({
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
      expectProblem(found?.ResponseTemplates['application/json'], problem, {
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
