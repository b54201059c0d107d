import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { Settings } from './context.ts';
import type { NetworkOptions } from './functions/network-options.ts';

/** Returns a VPC by the ids in the settings. Nothing is looked up, so the synthesis needs no account. */
export function importNetwork(
  scope: Construct,
  { vpcId, subnetIds = [], securityGroupIds }: Pick<Settings, 'vpcId' | 'subnetIds' | 'securityGroupIds'>,
): NetworkOptions {
  if (vpcId === undefined) return {};
  const vpc = Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId,
    privateSubnetIds: [...subnetIds],
    // The CDK wants a zone for each subnet. Functions use only the subnets.
    availabilityZones: subnetIds.map((_, index) => `zone-${index}`),
  });
  acknowledge(vpc, { 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId': 'Nothing here changes a route.' });
  return {
    vpc,
    ...(securityGroupIds && {
      securityGroups: securityGroupIds.map((id) => SecurityGroup.fromSecurityGroupId(scope, id, id)),
    }),
  };
}
