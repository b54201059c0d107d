import { Duration, Names } from 'aws-cdk-lib';
import {
  ApiKeySourceType,
  AuthorizationType,
  DomainName,
  EndpointType,
  IdentitySource,
  LambdaIntegration,
  type Method,
  RequestAuthorizer,
  ResponseType,
  RestApi,
  type UsagePlan,
} from 'aws-cdk-lib/aws-apigateway';
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { CONSOLE_ROUTES, type ConsoleRoute } from '../../lib/contract/console.ts';
import {
  GATEWAY_RESPONSES,
  type GatewayResponse,
  MANAGED_FIREWALL_RESPONSE,
} from '../../lib/contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../../lib/contract/limits.ts';
import { type Route, servedMethods } from '../../lib/contract/routes.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayFunctions } from '../functions/functions.ts';
import type { CustomDomain, GatewayOptions, TlsVersion } from '../options.ts';
import { accessLogging } from './access-logs.ts';
import { ownUrl, reachableFrom, vpcEndpointsOf } from './endpoint.ts';
import { Firewall } from './firewall.ts';
import { gatewayAnswer, methodNotAllowedMethod, publicUrl } from './gateway-answers.ts';
import { ratesOfMethods } from './method-rates.ts';
import { requireTls, TLS_POLICIES } from './tls.ts';

/** A route that a Lambda function of the stack serves. */
type ServedRoute = Route | ConsoleRoute;

/** How API Gateway caches what the authorizer grants. */
const CACHE = {
  // An API key may be limited to some networks, so a cached result holds for one address only.
  identitySources: [IdentitySource.header('Authorization'), IdentitySource.context('identity.sourceIp')],
  // A revoked key must be refused everywhere within 60 seconds. This cache may take half of that time.
  resultsCacheTtl: Duration.seconds(30),
};

/** The REST API. Its methods come from the route tables. */
export class Api extends Construct {
  /** The API's base URL, without a trailing slash. */
  readonly url: string;
  readonly rest: RestApi;
  /** The log of the API's requests. Defined with the option `accessLogs` only. */
  readonly accessLog: LogGroup | undefined;
  /** The usage plan, which limits the request rate of each company that has an API key of the plan. */
  readonly plan: UsagePlan;
  /** The host name to which the DNS record of the custom domain must point. */
  readonly domainTarget: string | undefined;
  readonly #publicUrl: string;

  /** @internal The package's declarations leave it out. */
  constructor(scope: Construct, id: string, functions: GatewayFunctions, options: GatewayOptions) {
    super(scope, id);
    const { rate, methodRate, domain, firewall, tls = '1.2' } = options;
    const accessLogs = options.accessLogs ? accessLogging(this, options) : undefined;
    this.accessLog = accessLogs?.log;
    const routes = [...ROUTES, ...CONSOLE_ROUTES].filter((route) => functions.has(route.function));
    const vpcEndpoints = vpcEndpointsOf(this, options);
    this.rest = new RestApi(this, 'Rest', {
      // CloudWatch identifies an API by its name, so the name must be unique in the account.
      restApiName: Names.uniqueResourceName(this, { maxLength: 64, separator: '-' }),
      ...reachableFrom(vpcEndpoints),
      // API Gateway passes every body on unchanged, because content is stored, hashed and returned byte for byte.
      binaryMediaTypes: ['*/*'],
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      disableExecuteApiEndpoint: domain !== undefined,
      cloudWatchRole: false,
      deployOptions: {
        throttlingRateLimit: methodRate.perSecond,
        throttlingBurstLimit: methodRate.burst,
        methodOptions: ratesOfMethods(routes, options),
        ...accessLogs?.stage,
      },
    });
    requireTls(this.rest, tls);
    if (vpcEndpoints.length > 0) this.rest.grantInvokeFromVpcEndpointsOnly(vpcEndpoints);
    this.#publicUrl = publicUrl(domain);
    this.url = domain ? this.#publicUrl : ownUrl(this.rest, vpcEndpoints);
    // The stack output `ApiUrl` replaces this output.
    this.rest.node.tryRemoveChild('Endpoint');
    this.plan = this.rest.addUsagePlan('Plan', {
      description: 'The rate of each company',
      throttle: { rateLimit: rate.perSecond, burstLimit: rate.burst },
      apiStages: [{ stage: this.rest.deploymentStage }],
    });
    if (domain) this.domainTarget = this.#addDomain(domain, tls);
    if (firewall !== 'off') new Firewall(this, 'Firewall', this.rest.deploymentStage, { ...options, firewall });

    this.#addRoutes(functions, routes);
    this.#deployAfterPermissions(functions.live('authorizer'));
    this.#refuseOtherMethods(routes);
    for (const response of GATEWAY_RESPONSES) {
      const isManaged = response.type === MANAGED_FIREWALL_RESPONSE.type && firewall === 'managed';
      this.#addGatewayResponse(isManaged ? MANAGED_FIREWALL_RESPONSE : response);
    }
    this.#acknowledge(options);
  }

  #addDomain({ name, certificate, basePath, mtls }: CustomDomain, tls: TlsVersion): string {
    const domainName = new DomainName(new Construct(this, 'Domain'), 'Name', {
      domainName: name,
      certificate,
      endpointType: EndpointType.REGIONAL,
      ...TLS_POLICIES[tls],
      mapping: this.rest,
      ...(basePath !== undefined && { basePath }),
      ...(mtls && { mtls }),
    });
    return domainName.domainNameAliasDomainName;
  }

  #addRoutes(functions: GatewayFunctions, routes: readonly ServedRoute[]): void {
    const authorizer = new RequestAuthorizer(this, 'Authorizer', { handler: functions.live('authorizer'), ...CACHE });
    // Otherwise a change of the authorizer would be deployed only in apps that set a feature flag of the CDK.
    this.rest.latestDeployment?.addToLogicalId({ ...CACHE, resultsCacheTtl: CACHE.resultsCacheTtl.toSeconds() });
    const authorized = { authorizer, authorizationType: AuthorizationType.CUSTOM, apiKeyRequired: true };
    for (const route of routes) {
      const integration = new LambdaIntegration(functions.live(route.function), {
        // With `true`, each method would add its own permission to the function.
        scopePermissionToMethod: false,
        timeout: Duration.millis(GATEWAY_LIMITS.timeoutMs),
      });
      for (const name of servedMethods(route)) {
        const method = this.rest.root.resourceForPath(route.path).addMethod(name, integration, {
          ...(name === route.method && { operationName: route.id }),
          ...(route.scope !== null && authorized),
        });
        if (route.scope === null) acknowledgePublic(method, 'needs no credentials by contract');
      }
    }
  }

  /** Deploys the API only after it may call the functions. Otherwise, a new function would first answer with 500. */
  #deployAfterPermissions(authorizer: IFunction): void {
    const permissions = [this.rest, authorizer]
      .flatMap(({ node }) => node.findAll())
      .filter((construct) => construct instanceof CfnPermission);
    this.rest.latestDeployment?.node.addDependency(...permissions);
  }

  #refuseOtherMethods(served: readonly ServedRoute[]): void {
    for (const [path, routes] of Map.groupBy(served, (route) => route.path)) {
      const { integration, options } = methodNotAllowedMethod(routes.flatMap(servedMethods), this.#publicUrl);
      const method = this.rest.root.resourceForPath(path).addMethod('ANY', integration, options);
      acknowledgePublic(method, 'only answers 405, which comes before 401 by contract');
    }
  }

  #addGatewayResponse(response: GatewayResponse): void {
    const answer = gatewayAnswer(response.problem, response, this.#publicUrl);
    this.rest.addGatewayResponse(response.type, {
      type: ResponseType.of(response.type),
      statusCode: answer.statusCode,
      responseHeaders: { ...answer.headers },
      templates: { ...answer.templates },
    });
  }

  #acknowledge({ accessLogs, firewall }: GatewayOptions): void {
    acknowledge(this.rest, {
      ...(!accessLogs && {
        'AwsSolutions-APIG1': 'The setting accessLogs is off. Each function logs its requests.',
        'Serverless-APIGWAccessLogging': 'The setting accessLogs is off. Each function logs its requests.',
        'Serverless-APIGWStructuredLogging': 'The setting accessLogs is off. The functions log JSON.',
      }),
      'AwsSolutions-APIG2':
        'The contract reports every fault of a request at once, each with a pointer. The functions check requests, because API Gateway could find only some of the faults.',
      ...(firewall === 'off' && {
        'AwsSolutions-APIG3': 'The setting firewall is off. Callers have keys, and the functions check every request.',
      }),
      'AwsSolutions-APIG6': 'Execution logs contain bodies and headers, and therefore content and credentials.',
      'AwsSolutions-COG4': 'The contract has its own keys and tokens, which the request authorizer checks.',
      'Serverless-APIGWXrayEnabled': 'Traces contain request paths, and therefore custom ids.',
    });
  }
}

function acknowledgePublic(method: Method, reason: string): void {
  acknowledge(method, { 'AwsSolutions-APIG4': `${method.httpMethod} ${method.resource.path} ${reason}.` });
}
