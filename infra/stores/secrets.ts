import { ArnFormat, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule, Secret, type SecretProps } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import { type Grant, keyStatements } from './grant.ts';

/** Creates the secret of the keys that sign access tokens. The first key is generated. */
export function createSigningSecret(scope: Construct, options: GatewayOptions): Secret {
  return createSecret(scope, 'SigningSecret', options, {
    description: 'Keys that sign access tokens, the first of them generated: { id, secret }',
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ id: 'initial' }),
      generateStringKey: 'secret',
      passwordLength: 64,
      excludePunctuation: true,
    },
  });
}

/** Creates the secret of the company id and API key at the upstream service. The operator fills it in. */
export function createUpstreamSecret(scope: Construct, options: GatewayOptions): Secret {
  const secret = createSecret(scope, 'UpstreamSecret', options, {
    description: 'Credentials of the service behind Segue: { companyId, apiKey }, filled in by the operator',
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ companyId: 'fill-in' }),
      generateStringKey: 'apiKey',
      excludePunctuation: true,
    },
  });
  acknowledge(secret, { 'AwsSolutions-SMG4': 'Only the upstream service can issue another key.' });
  return secret;
}

/** Never change `generateSecretString`: CloudFormation would then generate a new value and overwrite the live one. */
function createSecret(
  scope: Construct,
  id: string,
  { keepsData, encryptionKey }: GatewayOptions,
  props: SecretProps,
): Secret {
  return new Secret(scope, id, {
    ...props,
    ...(encryptionKey && { encryptionKey }),
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
}

/** Grants reading a secret. @param environment the variables that the function needs with it */
export function grantSecret(secret: Secret, environment: Readonly<Record<string, string>>): Grant {
  return {
    statements: [
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
      ...keyStatements(secret.encryptionKey, 'secretsmanager', 'read'),
    ],
    environment,
  };
}

/** Grants rotating a secret. Secrets Manager names the secret in each call. */
export function grantRotation(secret: Secret): Grant {
  const actions = ['DescribeSecret', 'GetSecretValue', 'PutSecretValue', 'UpdateSecretVersionStage'];
  return {
    statements: [
      new PolicyStatement({
        actions: actions.map((action) => `secretsmanager:${action}`),
        resources: [secret.secretArn],
      }),
      ...keyStatements(secret.encryptionKey, 'secretsmanager', 'write'),
    ],
    environment: {},
  };
}

/** Rotates the signing key every 30 days. The secret keeps older keys as long as their tokens are valid. */
export function scheduleRotation(scope: Construct, secret: Secret, rotator: IFunction): void {
  rotator.addPermission('SecretsManager', {
    principal: new ServicePrincipal('secretsmanager.amazonaws.com'),
    sourceAccount: Stack.of(scope).account,
  });
  const schedule = new CfnRotationSchedule(scope, 'RotationSchedule', {
    secretId: secret.secretArn,
    rotationLambdaArn: rotator.functionArn,
    rotationRules: { automaticallyAfterDays: 30 },
    // a deployment must not rotate
    rotateImmediatelyOnUpdate: false,
  });
  schedule.node.addDependency(rotator);
}

/** The prefix of the names of webhook secrets. The command line creates and deletes these secrets, one for each source. */
export function webhookSecretsPrefix(scope: Construct): string {
  return `segue/${Names.uniqueResourceName(scope, { maxLength: 100, separator: '-' })}/webhooks/`;
}

/** Grants reading every webhook secret. */
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
      ...keyStatements(encryptionKey, 'secretsmanager', 'read'),
    ],
    environment: { SEGUE_WEBHOOK_SECRETS: prefix },
    acknowledged: {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${resourceName}]`]:
        'Sources are added and removed without a deployment: the function needs the secret of each of them.',
    },
  };
}
