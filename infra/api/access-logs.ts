import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat, CfnAccount, LogGroupLogDestination, type StageOptions } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';

/** One line for each request. It has the route instead of the path, which contains custom ids, and no address or header. */
const LINE = {
  requestId: '$context.requestId',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  /** The type of the gateway response, if API Gateway answered without a function. */
  response: '$context.error.responseType',
  companyId: '$context.authorizer.companyId',
  keyId: '$context.authorizer.keyId',
  answerBytes: '$context.responseLength',
  durationMs: '$context.responseLatency',
  functionMs: '$context.integrationLatency',
  authorizerMs: '$context.authorizer.integrationLatency',
};

const PUSH_TO_LOGS = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/** Creates the access log of the API, and the role that API Gateway writes it with. */
export function accessLogging(scope: Construct, { logDays, keepsData }: GatewayOptions): StageOptions {
  const logs = new Construct(scope, 'AccessLogs');
  const group = new LogGroup(logs, 'Log', {
    retention: logDays,
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  const role = new Role(logs, 'Role', {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(PUSH_TO_LOGS)],
  });
  const account = new CfnAccount(logs, 'Account', { cloudWatchRoleArn: role.roleArn });
  // every API of the account and region logs with this role, so it must outlive the stack
  role.applyRemovalPolicy(RemovalPolicy.RETAIN);
  account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  group.node.addDependency(account);
  acknowledge(role, {
    [`AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${PUSH_TO_LOGS}]`]:
      'API Gateway accepts a role for its logs only with the permissions of this managed policy.',
  });
  return {
    accessLogDestination: new LogGroupLogDestination(group),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(LINE)),
  };
}
