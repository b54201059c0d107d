import { EndpointType, type RestApi, type RestApiProps } from 'aws-cdk-lib/aws-apigateway';
import { type IInterfaceVpcEndpoint, InterfaceVpcEndpoint } from 'aws-cdk-lib/aws-ec2';
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
export function reachableFrom(
  vpcEndpoints: readonly IInterfaceVpcEndpoint[],
): Pick<RestApiProps, 'endpointConfiguration'> {
  const isPrivate = vpcEndpoints.length > 0;
  return {
    endpointConfiguration: isPrivate
      ? { types: [EndpointType.PRIVATE], vpcEndpoints: [...vpcEndpoints] }
      : { types: [EndpointType.REGIONAL] },
  };
}

/**
 * Returns the base URL of an API without a domain. The URL of a private API has the first VPC endpoint in its host name:
 * this name resolves without private DNS, too.
 */
export function ownUrl(api: RestApi, [vpcEndpoint]: readonly IInterfaceVpcEndpoint[]): string {
  if (!vpcEndpoint) return api.url.replace(/\/$/, '');
  const { region, urlSuffix } = api.stack;
  const host = `${api.restApiId}-${vpcEndpoint.vpcEndpointId}.execute-api.${region}.${urlSuffix}`;
  return `https://${host}/${api.deploymentStage.stageName}`;
}
