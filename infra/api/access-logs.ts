import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat, CfnAccount, LogGroupLogDestination, type StageOptions } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import { removalPolicyOf } from '../removal-policy.ts';
import { encrypted } from '../stores/grant.ts';
import { REQUEST_ID } from './gateway-answers.ts';

/**
 * The access log's line for a request. It has the route in place of the path, because a path may contain a custom id.
 * It has no address and no header.
 */
export const LINE = {
  requestId: `$context.${REQUEST_ID}`,
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  tlsVersion: '$context.tlsVersion',
  /** The type of API Gateway's own response, if API Gateway answered without calling a function. */
  response: '$context.error.responseType',
  companyId: '$context.authorizer.companyId',
  keyId: '$context.authorizer.keyId',
  answerBytes: '$context.responseLength',
  durationMs: '$context.responseLatency',
  functionMs: '$context.integrationLatency',
  authorizerMs: '$context.authorizer.integrationLatency',
};

const PUSH_TO_LOGS = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/**
 * Creates the access log of the API, and the role with which API Gateway writes the log.
 * @returns the log, and the options of the API's stage
 */
export function accessLogging(
  scope: Construct,
  options: GatewayOptions,
): { readonly log: LogGroup; readonly stage: StageOptions } {
  const logs = new Construct(scope, 'AccessLogs');
  const group = new LogGroup(logs, 'Log', {
    retention: options.logDays,
    ...encrypted(options),
    removalPolicy: removalPolicyOf(options),
  });
  const role = new Role(logs, 'Role', {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(PUSH_TO_LOGS)],
  });
  const account = new CfnAccount(logs, 'Account', { cloudWatchRoleArn: role.roleArn });
  // All APIs of the account in this region write logs with this role, so the role must outlive the stack, also one whose
  // first deployment fails.
  role.applyRemovalPolicy(RemovalPolicy.RETAIN);
  account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  group.node.addDependency(account);
  acknowledge(role, {
    [`AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${PUSH_TO_LOGS}]`]:
      'API Gateway accepts a role for its logs only with the permissions of this managed policy.',
  });
  return {
    log: group,
    stage: {
      accessLogDestination: new LogGroupLogDestination(group),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(LINE)),
    },
  };
}
