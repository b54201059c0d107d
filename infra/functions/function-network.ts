import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, Peer, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Grant } from '../stores/grant.ts';
import type { FunctionAccess } from './function-spec.ts';
import type { NetworkOptions } from './network-options.ts';

/** What Lambda does with the role of a function to connect the function to a VPC. */
const ATTACH = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];
const HTTPS = 443;

interface FunctionNetworkProps extends NetworkOptions {
  readonly vpc: IVpc;
  /** The URL of the server that the functions call. */
  readonly server: string;
}

/** The place of functions in a VPC, from which they call a server of the operator. */
export class FunctionNetwork extends Construct {
  /** The security group that the gateway has created. */
  readonly created: SecurityGroup | undefined;
  readonly securityGroups: readonly ISecurityGroup[];
  /** The settings that put a function into the VPC. */
  readonly settings: Pick<FunctionOptions, 'vpc' | 'vpcSubnets' | 'securityGroups'>;

  constructor(scope: Construct, id: string, { vpc, vpcSubnets, securityGroups, server }: FunctionNetworkProps) {
    super(scope, id);
    this.created = securityGroups ? undefined : this.#createGroup(vpc, server);
    this.securityGroups = securityGroups ?? (this.created ? [this.created] : []);
    this.settings = { vpc, ...(vpcSubnets && { vpcSubnets }), securityGroups: [...this.securityGroups] };
  }

  /** Returns the access that a function's role needs. Lambda uses it, and the function's own code may not. */
  grant(): Grant {
    const anyFunction = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: '*',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const reason = 'Lambda looks for subnets and interfaces in lists, and creates interfaces of its own.';
    return {
      statements: [
        new PolicyStatement({ actions: ATTACH, resources: ['*'] }),
        new PolicyStatement({
          effect: Effect.DENY,
          actions: ATTACH,
          resources: ['*'],
          // Only calls from the code of a function have this key.
          conditions: { ArnLike: { 'lambda:SourceFunctionArn': anyFunction } },
        }),
      ],
      environment: {},
      acknowledged: { 'AwsSolutions-IAM5[Resource::*]': reason, 'Serverless-LambdaStarPermissions': reason },
    };
  }

  #createGroup(vpc: IVpc, server: string): SecurityGroup {
    const group = new SecurityGroup(this, 'SecurityGroup', {
      vpc,
      description: 'Functions of Segue that call a private server',
      allowAllOutbound: false,
    });
    for (const port of new Set([HTTPS, Number(new URL(server).port || HTTPS)])) {
      group.addEgressRule(Peer.anyIpv4(), Port.tcp(port), 'The server, and endpoints of AWS');
    }
    return group;
  }
}

/** Whether a function calls a server of the operator. */
export function callsServer({ upstreamSecret, translation }: FunctionAccess): boolean {
  return upstreamSecret === true || translation !== undefined;
}
