import { Duration } from 'aws-cdk-lib';
import {
  AuthorizationType,
  EndpointType,
  IdentitySource,
  LambdaIntegration,
  type Method,
  RequestAuthorizer,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { GATEWAY_RESPONSES, type GatewayResponse } from '../lib/contract/gateway-responses.ts';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { type OperationId, ROUTES, type Route } from '../lib/contract/routes.ts';
import { acknowledge } from './acknowledge.ts';
import { refuseMethod } from './method-not-allowed.ts';
import { gatewayAnswer } from './problems.ts';

export interface ApiProps {
  readonly functionOf: (name: OperationId | 'authorizer') => IFunction;
}

/** The REST API, made from the route table. */
export class Api extends Construct {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly #rest: RestApi;

  constructor(scope: Construct, id: string, { functionOf }: ApiProps) {
    super(scope, id);
    this.#rest = new RestApi(this, 'Rest', {
      restApiName: 'segue',
      endpointTypes: [EndpointType.REGIONAL],
      // bodies arrive byte for byte: content is stored, hashed and echoed as it was sent
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: false,
    });
    this.url = this.#rest.url.replace(/\/$/, '');
    // replaced by the stack's own output, whose name is fit to be read
    this.#rest.node.tryRemoveChild('Endpoint');

    const authorizer = new RequestAuthorizer(this, 'Authorizer', {
      handler: functionOf('authorizer'),
      identitySources: [IdentitySource.header('Authorization')],
      // half of the minute in which a revoked key has to stop everywhere
      resultsCacheTtl: Duration.seconds(30),
    });
    for (const route of ROUTES) {
      const integration = new LambdaIntegration(functionOf(route.id), {
        allowTestInvoke: false,
        timeout: Duration.millis(GATEWAY_LIMITS.timeoutMs),
      });
      const method = this.#rest.root.resourceForPath(route.path).addMethod(route.method, integration, {
        operationName: route.id,
        ...(route.scope !== null && { authorizer, authorizationType: AuthorizationType.CUSTOM }),
      });
      if (route.scope === null) acknowledgePublic(method, 'asks for no credentials by contract');
    }
    this.#refuseOtherMethods();
    for (const response of GATEWAY_RESPONSES) this.#say(response);
    this.#acknowledge();
  }

  #refuseOtherMethods(): void {
    for (const [path, routes] of Map.groupBy(ROUTES, (route: Route) => route.path)) {
      const { integration, options } = refuseMethod(routes.map(({ method }) => method));
      const method = this.#rest.root.resourceForPath(path).addMethod('ANY', integration, options);
      acknowledgePublic(method, 'does nothing but answer 405, which the contract says before 401');
    }
  }

  #say(response: GatewayResponse): void {
    const answer = gatewayAnswer(response.problem, response);
    this.#rest.addGatewayResponse(response.type, {
      type: ResponseType.of(response.type),
      statusCode: answer.statusCode,
      responseHeaders: { ...answer.headers },
      templates: { ...answer.templates },
    });
  }

  #acknowledge(): void {
    acknowledge(this.#rest, {
      'AwsSolutions-APIG1':
        'Access logs need a role that a whole account and region share, which no single stack may own; each function logs its requests.',
      'AwsSolutions-APIG2':
        'The contract asks for all faults of a request at once with a pointer each; the functions check the whole of it, the gateway could only check a part.',
      'AwsSolutions-APIG3':
        'The common managed rules of WAF refuse bodies over 8 KB; a project has up to 4 MiB of HTML, which such rules take for an attack.',
      'AwsSolutions-APIG6': 'Execution logs hold bodies and headers: content and credentials, which are never logged.',
      'AwsSolutions-COG4':
        'The contract has companies with keys and tokens of Segue itself, which the request authorizer checks; there is no user pool.',
    });
  }
}

function acknowledgePublic(method: Method, why: string): void {
  acknowledge(method, {
    'AwsSolutions-APIG4': `${method.httpMethod} ${method.resource.path} ${why}.`,
  });
}
