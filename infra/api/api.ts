import { Duration, Names } from 'aws-cdk-lib';
import {
  ApiKeySourceType,
  AuthorizationType,
  EndpointType,
  IdentitySource,
  LambdaIntegration,
  type Method,
  RequestAuthorizer,
  ResponseType,
  RestApi,
  type UsagePlan,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { GATEWAY_RESPONSES, type GatewayResponse } from '../../lib/contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../../lib/contract/limits.ts';
import { type OperationId, ROUTES, type Route, servedMethods } from '../../lib/contract/routes.ts';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import { accessLogging } from './access-logs.ts';
import { ApiDomain } from './domain.ts';
import { Firewall } from './firewall.ts';
import { gatewayAnswer, publicUrl } from './gateway-answers.ts';
import { refuseMethod } from './method-not-allowed.ts';

export interface ApiProps {
  readonly functionOf: (name: OperationId | 'authorizer') => IFunction;
  readonly options: GatewayOptions;
}

/** The REST API, made from the route table. */
export class Api extends Construct {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly rest: RestApi;
  /** By which each company's requests are counted, once it has a key of this plan. */
  readonly plan: UsagePlan;
  /** The name that the custom domain's DNS record has to lead to. */
  readonly domainTarget: string | undefined;
  readonly #publicUrl: string;

  constructor(scope: Construct, id: string, { functionOf, options }: ApiProps) {
    super(scope, id);
    const { rate, methodRate, domain, firewall } = options;
    this.rest = new RestApi(this, 'Rest', {
      // its metrics go by this name, which no other API of the account may have
      restApiName: Names.uniqueResourceName(this, { maxLength: 64, separator: '-' }),
      endpointTypes: [EndpointType.REGIONAL],
      // bodies arrive byte for byte: content is stored, hashed and echoed as it was sent
      binaryMediaTypes: ['*/*'],
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      disableExecuteApiEndpoint: domain !== undefined,
      cloudWatchRole: false,
      deployOptions: {
        throttlingRateLimit: methodRate.perSecond,
        throttlingBurstLimit: methodRate.burst,
        ...(options.accessLogs && accessLogging(this, options)),
      },
    });
    this.#publicUrl = publicUrl(domain);
    this.url = domain ? this.#publicUrl : this.rest.url.replace(/\/$/, '');
    // replaced by the stack's own output, whose name is fit to be read
    this.rest.node.tryRemoveChild('Endpoint');
    this.plan = this.rest.addUsagePlan('Plan', {
      description: 'What each company may ask for',
      throttle: { rateLimit: rate.perSecond, burstLimit: rate.burst },
      apiStages: [{ stage: this.rest.deploymentStage }],
    });
    if (domain) this.domainTarget = new ApiDomain(this, 'Domain', { domain, rest: this.rest }).target;
    if (firewall) new Firewall(this, 'Firewall', { stage: this.rest.deploymentStage });

    this.#serveRoutes(functionOf);
    this.#refuseOtherMethods();
    for (const response of GATEWAY_RESPONSES) this.#say(response);
    this.#acknowledge(options);
  }

  #serveRoutes(functionOf: ApiProps['functionOf']): void {
    const authorizer = new RequestAuthorizer(this, 'Authorizer', {
      handler: functionOf('authorizer'),
      identitySources: [IdentitySource.header('Authorization')],
      // half of the minute in which a revoked key has to stop everywhere
      resultsCacheTtl: Duration.seconds(30),
    });
    const authorized = { authorizer, authorizationType: AuthorizationType.CUSTOM, apiKeyRequired: true };
    for (const route of ROUTES) {
      const integration = new LambdaIntegration(functionOf(route.id), {
        allowTestInvoke: false,
        timeout: Duration.millis(GATEWAY_LIMITS.timeoutMs),
      });
      for (const name of servedMethods(route)) {
        const method = this.rest.root.resourceForPath(route.path).addMethod(name, integration, {
          ...(name === route.method && { operationName: route.id }),
          ...(route.scope !== null && authorized),
        });
        if (route.scope === null) acknowledgePublic(method, 'asks for no credentials by contract');
      }
    }
  }

  #refuseOtherMethods(): void {
    for (const [path, routes] of Map.groupBy(ROUTES, (route: Route) => route.path)) {
      const allow = routes.flatMap(servedMethods);
      const { integration, options } = refuseMethod(allow, this.#publicUrl);
      const method = this.rest.root.resourceForPath(path).addMethod('ANY', integration, options);
      acknowledgePublic(method, 'does nothing but answer 405, which the contract says before 401');
    }
  }

  #say(response: GatewayResponse): void {
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
        'AwsSolutions-APIG1': 'Left off by the setting accessLogs; each function logs its requests.',
        'Serverless-APIGWAccessLogging': 'Left off by the setting accessLogs; each function logs its requests.',
        'Serverless-APIGWStructuredLogging': 'Left off by the setting accessLogs; the functions log JSON.',
      }),
      'AwsSolutions-APIG2':
        'The contract asks for all faults of a request at once with a pointer each; the functions check the whole of it, the gateway could only check a part.',
      ...(!firewall && {
        'AwsSolutions-APIG3':
          'Left off by the setting firewall: callers have keys, and nothing is behind the API that its functions do not check.',
      }),
      'AwsSolutions-APIG6': 'Execution logs hold bodies and headers: content and credentials, which are never logged.',
      'AwsSolutions-COG4':
        'The contract has companies with keys and tokens of Segue itself, which the request authorizer checks; there is no user pool.',
      'Serverless-APIGWXrayEnabled': 'Traces keep the paths that were asked for, and with them custom ids.',
    });
  }
}

function acknowledgePublic(method: Method, why: string): void {
  acknowledge(method, {
    'AwsSolutions-APIG4': `${method.httpMethod} ${method.resource.path} ${why}.`,
  });
}
