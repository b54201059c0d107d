import { ArnFormat, Names, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { GatewayOptions } from '../options.ts';
import { type Grant, mayUse } from './grant.ts';

/** How the names of the secrets of a gateway's webhooks begin. The command line makes them, one a source, and removes them. */
export function webhookSecretsPrefix(scope: Construct): string {
  return `segue/${Names.uniqueResourceName(scope, { maxLength: 100, separator: '-' })}/webhooks/`;
}

/** Reading the secrets of webhooks, whichever sources there are by then. */
export function grantWebhookSecrets(scope: Construct, prefix: string, { encryptionKey }: GatewayOptions): Grant {
  const resourceName = `${prefix}*`;
  const arn = Stack.of(scope).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return {
    statements: [
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [arn] }),
      ...mayUse(encryptionKey, 'secretsmanager', 'read'),
    ],
    environment: { SEGUE_WEBHOOK_SECRETS: prefix },
    acknowledged: {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${resourceName}]`]:
        'Sources come and go while the stack stays as it is: the secrets of all of them, and of nothing else, are what is meant.',
    },
  };
}
