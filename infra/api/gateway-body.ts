import { Aws } from 'aws-cdk-lib';
import type { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { GatewayResponse } from '../../lib/contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../../lib/contract/limits.ts';
import type { OptionalRoute } from '../../lib/contract/optional-routes.ts';
import { methodNotAllowed } from '../../lib/contract/problem.ts';
import { type Route, servedMethods } from '../../lib/contract/routes.ts';
import { type GatewayAnswer, gatewayAnswer } from './gateway-answers.ts';

/** A route that a Lambda function of the stack serves. */
export type ServedRoute = Route | OptionalRoute;

interface GatewayBodyOptions {
  readonly routes: readonly ServedRoute[];
  readonly responses: readonly GatewayResponse[];
  /** Returns the function that serves a route, or the authorizer. */
  readonly functionOf: (name: ServedRoute['function'] | 'authorizer') => IFunction;
  /** The API's base URL in mapping templates. */
  readonly publicUrl: string;
  /** Who may reach a private API. */
  readonly policy: PolicyDocument | undefined;
  /** From where the API can be reached. The resource says the same, but an import may replace what the resource says. */
  readonly endpoint: { readonly disableExecuteApiEndpoint: boolean; readonly vpcEndpointIds?: readonly string[] };
}

/**
 * Returns the definition of the API for API Gateway: OpenAPI 3.0.1, the newest version that a REST API takes, with AWS's
 * extensions. It has what API Gateway needs and nothing else: `openapi.json` describes the API to people.
 */
export function gatewayBody({ routes, responses, functionOf, publicUrl, policy, endpoint }: GatewayBodyOptions) {
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, served]) => {
    const methods = served.flatMap((route) => methodsOf(route, functionOf(route.function)));
    const others = refusal(
      gatewayAnswer('method-not-allowed', methodNotAllowed(served.flatMap(servedMethods)), publicUrl),
    );
    const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => parameterOf(name));
    return [path, { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(methods), ...others }] as const;
  });
  return {
    openapi: '3.0.1',
    info: { title: 'Segue', version: '1' },
    // API Gateway passes every body on unchanged, because content is stored, hashed and returned byte for byte.
    'x-amazon-apigateway-binary-media-types': ['*/*'],
    'x-amazon-apigateway-api-key-source': 'AUTHORIZER',
    'x-amazon-apigateway-endpoint-configuration': endpoint,
    ...(policy && { 'x-amazon-apigateway-policy': policy }),
    'x-amazon-apigateway-gateway-responses': Object.fromEntries(
      responses.map((response) => [
        response.type,
        gatewayResponse(gatewayAnswer(response.problem, response, publicUrl)),
      ]),
    ),
    paths: Object.fromEntries(paths),
    components: { securitySchemes: securitySchemes(functionOf('authorizer')) },
  };
}

function securitySchemes(authorizer: IFunction) {
  return {
    authorizer: {
      type: 'apiKey',
      in: 'header',
      // The identity sources count instead.
      name: 'Unused',
      'x-amazon-apigateway-authtype': 'custom',
      'x-amazon-apigateway-authorizer': {
        type: 'request',
        authorizerUri: invocationUri(authorizer),
        // An API key may be limited to some networks, so a cached result holds for one address only.
        identitySource: 'method.request.header.Authorization, context.identity.sourceIp',
        // A revoked key must be refused everywhere within 60 seconds. This cache may take half of that time.
        authorizerResultTtlInSeconds: 30,
      },
    },
    // The key of the usage plan, which the authorizer returns.
    api_key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  };
}

/** Returns the URI under which API Gateway calls a function. */
function invocationUri({ functionArn }: IFunction): string {
  return `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${functionArn}/invocations`;
}

/** Returns the methods of a route that its function serves. */
function methodsOf(route: ServedRoute, served: IFunction) {
  const operation = {
    // API Gateway takes these together: a request needs both.
    ...(route.scope !== null && { security: [{ authorizer: [] }, { api_key: [] }] }),
    responses: { 200: { description: 'The answer of the function' } },
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      uri: invocationUri(served),
      passthroughBehavior: 'when_no_match',
      timeoutInMillis: GATEWAY_LIMITS.timeoutMs,
    },
  };
  return servedMethods(route).map((method) => {
    return [method.toLowerCase(), { ...(method === route.method && { operationId: route.id }), ...operation }] as const;
  });
}

/** Returns the definition of all methods that a path does not serve. API Gateway answers them itself. */
function refusal({ statusCode, headers, templates }: GatewayAnswer) {
  // Without `$default`, a body of another media type, such as a form, would get 415 in place of 405.
  const request = JSON.stringify({ statusCode: Number(statusCode) });
  const declared = Object.keys(headers).map((name) => [name, { schema: { type: 'string' } }]);
  return {
    'x-amazon-apigateway-any-method': {
      responses: { [statusCode]: { description: 'Method not allowed', headers: Object.fromEntries(declared) } },
      'x-amazon-apigateway-integration': {
        type: 'mock',
        requestTemplates: { 'application/json': request, $default: request },
        passthroughBehavior: 'never',
        // This API treats every body as binary, but mapping templates read only text.
        contentHandling: 'CONVERT_TO_TEXT',
        responses: {
          default: {
            statusCode,
            contentHandling: 'CONVERT_TO_TEXT',
            responseParameters: prefixed('method.response.header', headers),
            responseTemplates: templates,
          },
        },
      },
    },
  };
}

function gatewayResponse({ statusCode, headers, templates }: GatewayAnswer) {
  const responseParameters = prefixed('gatewayresponse.header', headers);
  return { statusCode, responseParameters, responseTemplates: templates };
}

function prefixed(prefix: string, headers: GatewayAnswer['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [`${prefix}.${name}`, value]));
}

function parameterOf(name = '') {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}
