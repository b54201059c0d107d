import { Names, Stack } from 'aws-cdk-lib';
import {
  ApiDefinition,
  DomainName,
  EndpointType,
  RestApiMode,
  SpecRestApi,
  type UsagePlan,
} from 'aws-cdk-lib/aws-apigateway';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { GATEWAY_RESPONSES, MANAGED_FIREWALL_RESPONSE } from '../../lib/contract/gateway-responses.ts';
import { OPTIONAL_ROUTES } from '../../lib/contract/optional-routes.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import { acknowledge } from '../acknowledge.ts';
import type { FunctionName } from '../functions/catalogue.ts';
import type { GatewayFunctions } from '../functions/functions.ts';
import type { CustomDomain, GatewayOptions, TlsVersion } from '../options.ts';
import { accessLogging } from './access-logs.ts';
import { ownUrl, reachableFrom, vpcEndpointsOf } from './endpoint.ts';
import { Firewall } from './firewall.ts';
import { publicUrl } from './gateway-answers.ts';
import { gatewayBody, type ServedRoute } from './gateway-body.ts';
import { ratesOfMethods } from './method-rates.ts';
import { requireTls, TLS_POLICIES } from './tls.ts';

/** The REST API. Its definition is made from the route tables. */
export class Api extends Construct {
  /** The API's base URL, without a trailing slash. */
  readonly url: string;
  readonly rest: SpecRestApi;
  /** The log of the API's requests. Defined with the option `accessLogs` only. */
  readonly accessLog: LogGroup | undefined;
  /** The usage plan, which limits the request rate of each company that has an API key of the plan. */
  readonly plan: UsagePlan;
  /** The host name to which the DNS record of the custom domain must point. */
  readonly domainTarget: string | undefined;

  /** @internal The package's declarations leave it out. */
  constructor(scope: Construct, id: string, functions: GatewayFunctions, options: GatewayOptions) {
    super(scope, id);
    const { rate, methodRate, domain, firewall, tls = '1.2' } = options;
    const accessLogs = options.accessLogs ? accessLogging(this, options) : undefined;
    this.accessLog = accessLogs?.log;
    const routes = [...ROUTES, ...OPTIONAL_ROUTES].filter((route) => functions.has(route.function));
    const vpcEndpoints = vpcEndpointsOf(this, options);
    const baseUrl = publicUrl(domain);
    const responses = GATEWAY_RESPONSES.map((response) => {
      const isManaged = response.type === MANAGED_FIREWALL_RESPONSE.type && firewall === 'managed';
      return isManaged ? MANAGED_FIREWALL_RESPONSE : response;
    });
    const reachable = reachableFrom(vpcEndpoints);
    const definition = gatewayBody({
      routes,
      responses,
      functionOf: (name) => functions.live(name),
      publicUrl: baseUrl,
      policy: reachable.policy,
      endpoint: {
        disableExecuteApiEndpoint: domain !== undefined,
        ...(vpcEndpoints.length > 0 && { vpcEndpointIds: vpcEndpoints.map(({ vpcEndpointId }) => vpcEndpointId) }),
      },
    });
    this.rest = new SpecRestApi(this, 'Rest', {
      apiDefinition: ApiDefinition.fromInline(definition),
      // A route that is gone must be gone from the API too.
      mode: RestApiMode.OVERWRITE,
      // CloudWatch identifies an API by its name, so the name must be unique in the account.
      restApiName: Names.uniqueResourceName(this, { maxLength: 64, separator: '-' }),
      ...reachable,
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
    this.url = domain ? baseUrl : ownUrl(this.rest, vpcEndpoints);
    // The stack output `ApiUrl` replaces this output.
    this.rest.node.tryRemoveChild('Endpoint');
    this.plan = this.rest.addUsagePlan('Plan', {
      description: 'The rate of each company',
      throttle: { rateLimit: rate.perSecond, burstLimit: rate.burst },
      apiStages: [{ stage: this.rest.deploymentStage }],
    });
    if (domain) this.domainTarget = this.#addDomain(domain, tls);
    if (firewall !== 'off') new Firewall(this, 'Firewall', this.rest.deploymentStage, { ...options, firewall });

    this.#allowCalls(functions, routes);
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

  /** Lets the API call its functions, before it is deployed. Otherwise, a new function would first answer with 500. */
  #allowCalls(functions: GatewayFunctions, routes: readonly ServedRoute[]): void {
    const allow = (name: FunctionName, sourceArn: string) => {
      const permission = new CfnPermission(this, `Calls-${name}`, {
        action: 'lambda:InvokeFunction',
        functionName: functions.live(name).functionArn,
        principal: 'apigateway.amazonaws.com',
        sourceArn,
      });
      this.rest.latestDeployment?.node.addDependency(permission);
    };
    for (const name of new Set(routes.map((route) => route.function))) allow(name, this.rest.arnForExecuteApi());
    const resourceName = `${this.rest.restApiId}/authorizers/*`;
    allow('authorizer', Stack.of(this).formatArn({ service: 'execute-api', resource: resourceName }));
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
