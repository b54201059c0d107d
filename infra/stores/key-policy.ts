import type { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/** Where a gateway is. */
export type Place = Pick<Stack, 'partition' | 'region' | 'account' | 'urlSuffix'>;

/**
 * Returns the statements that the policy of a gateway's KMS key needs for AWS services. They use the key in their own
 * name, so IAM policies of the account cannot allow it. Functions use the key with their roles.
 */
export function keyPolicyStatements({ partition, region, account, urlSuffix }: Place): PolicyStatement[] {
  return [
    new PolicyStatement({
      sid: 'SegueLogs',
      principals: [new ServicePrincipal(`logs.${region}.${urlSuffix}`)],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: {
        ArnLike: { 'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:*` },
      },
    }),
    new PolicyStatement({
      // EventBridge encrypts the event bus.
      sid: 'SegueEvents',
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
    new PolicyStatement({
      // CloudWatch sends alarms to the topic of `alarmEmail`.
      sid: 'SegueAlarms',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  ];
}

/**
 * Adds the statements to the policy of a key of the same app. The policy of an imported key cannot be changed: its owner
 * adds them. `docs/deploy-settings.md` shows them.
 */
export function allowServices(key: IKey, place: Place): void {
  for (const statement of keyPolicyStatements(place)) key.addToResourcePolicy(statement);
}
