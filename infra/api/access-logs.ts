import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat, CfnAccount, LogGroupLogDestination, type StageOptions } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';

/** One line a request: the route and never the path, which has custom ids; no address, no header. */
const LINE = {
  requestId: '$context.requestId',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  /** What API Gateway answered by itself, if it did. */
  response: '$context.error.responseType',
  companyId: '$context.authorizer.companyId',
  keyId: '$context.authorizer.keyId',
  answerBytes: '$context.responseLength',
  durationMs: '$context.responseLatency',
  functionMs: '$context.integrationLatency',
  authorizerMs: '$context.authorizer.integrationLatency',
};

/** Where and how the API's stage logs its requests, with the role that API Gateway needs for it. */
export function accessLogging(scope: Construct, options: GatewayOptions): StageOptions {
  const logs = new AccessLogs(scope, 'AccessLogs', options);
  return {
    accessLogDestination: new LogGroupLogDestination(logs.group),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(LINE)),
  };
}

const PUSH_TO_LOGS = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/** The log of the API's requests. */
class AccessLogs extends Construct {
  readonly group: LogGroup;

  constructor(scope: Construct, id: string, { logDays, keepsData }: GatewayOptions) {
    super(scope, id);
    this.group = new LogGroup(this, 'Log', {
      retention: logDays,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(PUSH_TO_LOGS)],
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    // every API of account and region logs by this role: it must outlive the stack
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.group.node.addDependency(account);
    acknowledge(role, {
      [`AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${PUSH_TO_LOGS}]`]:
        'API Gateway accepts a role for its logs only with all that this policy of its own allows.',
    });
  }
}
