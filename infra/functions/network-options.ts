import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { SettingError } from '../setting-error.ts';

/** The network of the functions that call a server of the operator: the upstream service, or a translation engine. */
export interface NetworkOptions {
  /**
   * The VPC from which functions reach a private server. Only the functions that call it are in the VPC. There, they
   * need ways to DynamoDB, S3 and Secrets Manager: see docs/private-network.md. Default: no VPC.
   */
  readonly vpc?: IVpc;
  /** The subnets of the functions. Default: all private subnets with a way to the internet. */
  readonly vpcSubnets?: SubnetSelection;
  /** The security groups of the functions. Default: a new one, which allows https and the port of the server. */
  readonly securityGroups?: readonly ISecurityGroup[];
}

/**
 * @param server the URL of the server that functions call, if there is one
 * @throws {SettingError} if the options do not fit together
 */
export function checkNetwork({ vpc, vpcSubnets, securityGroups }: NetworkOptions, server: string | undefined): void {
  if (!vpc && (vpcSubnets ?? securityGroups)) throw new SettingError('vpcSubnets and securityGroups need vpc');
  if (securityGroups?.length === 0) {
    throw new SettingError('securityGroups must have one or more security groups: leave it out for a new one');
  }
  if (vpc && server === undefined) {
    throw new SettingError(
      'A VPC is for functions that call a server of yours: set service=upstream, or translationEngine=libretranslate or apertium',
    );
  }
}
