import { EndpointType, type RestApiBase, type RestApiBaseProps } from 'aws-cdk-lib/aws-apigateway';
import { type IInterfaceVpcEndpoint, InterfaceVpcEndpoint } from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { EndpointOptions } from './endpoint-options.ts';

/** Returns the VPC endpoints that may call a private API. A regional API has none. */
export function vpcEndpointsOf(scope: Construct, { vpcEndpointIds = [] }: EndpointOptions): IInterfaceVpcEndpoint[] {
  return vpcEndpointIds.map((vpcEndpointId, index) =>
    InterfaceVpcEndpoint.fromInterfaceVpcEndpointAttributes(scope, `VpcEndpoint${index + 1}`, {
      vpcEndpointId,
      port: 443,
    }),
  );
}

/** Returns the properties of an API that decide from where it can be reached. */
export function reachableFrom(vpcEndpoints: readonly IInterfaceVpcEndpoint[]) {
  const isPrivate = vpcEndpoints.length > 0;
  const type = isPrivate ? EndpointType.PRIVATE : EndpointType.REGIONAL;
  return {
    endpointConfiguration: { types: [type], ...(isPrivate && { vpcEndpoints: [...vpcEndpoints] }) },
    // The import of the definition has the type from here.
    parameters: { endpointConfigurationTypes: type },
    ...(isPrivate && { policy: onlyThrough(vpcEndpoints) }),
  } satisfies Partial<RestApiBaseProps>;
}

/** Allows requests through VPC endpoints only. */
function onlyThrough(vpcEndpoints: readonly IInterfaceVpcEndpoint[]): PolicyDocument {
  const requests = { actions: ['execute-api:Invoke'], principals: [new AnyPrincipal()], resources: ['execute-api:/*'] };
  const ids = vpcEndpoints.map(({ vpcEndpointId }) => vpcEndpointId);
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        ...requests,
        effect: Effect.DENY,
        conditions: { StringNotEquals: { 'aws:SourceVpce': ids } },
      }),
      new PolicyStatement({ ...requests, effect: Effect.ALLOW }),
    ],
  });
}

/**
 * Returns the base URL of an API without a domain. The URL of a private API has the first VPC endpoint in its host name:
 * this name resolves without private DNS, too.
 */
export function ownUrl(api: RestApiBase, [vpcEndpoint]: readonly IInterfaceVpcEndpoint[]): string {
  if (!vpcEndpoint) return api.url.replace(/\/$/, '');
  const { region, urlSuffix } = api.stack;
  const host = `${api.restApiId}-${vpcEndpoint.vpcEndpointId}.execute-api.${region}.${urlSuffix}`;
  return `https://${host}/${api.deploymentStage.stageName}`;
}
