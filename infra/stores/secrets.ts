import { ArnFormat, Names, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule, Secret, type SecretProps } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { CANARY_UNSET } from '../../lib/contract/canary.ts';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import { removalPolicyOf } from '../removal-policy.ts';
import { type Grant, keyStatements } from './grant.ts';

/** Creates the secret that holds the keys for signing access tokens. Secrets Manager generates the first key. */
export function createSigningSecret(scope: Construct, options: GatewayOptions): Secret {
  return createSecret(scope, 'SigningSecret', options, {
    description:
      'The keys that sign access tokens: { id, secret } for the first key, which Secrets Manager generates; { keys } after a rotation',
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ id: 'initial' }),
      generateStringKey: 'secret',
      passwordLength: 64,
      excludePunctuation: true,
    },
  });
}

/** Creates the secret for the company id and API key at the upstream service. The operator fills in both. */
export function createUpstreamSecret(scope: Construct, options: GatewayOptions): Secret {
  const secret = createSecret(scope, 'UpstreamSecret', options, {
    description: 'Credentials of the service behind Segue: { companyId, apiKey }, filled in by the operator',
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ companyId: 'fill-in' }),
      generateStringKey: 'apiKey',
      excludePunctuation: true,
    },
  });
  acknowledge(secret, {
    'AwsSolutions-SMG4':
      'Only the upstream service can issue a new API key, so Secrets Manager cannot rotate this secret.',
  });
  return secret;
}

/**
 * Creates the secret for the key of the canary, which `segue company add --canary` writes. It is deleted with the stack,
 * because a new key is made at any time.
 */
export function createCanarySecret(scope: Construct, { encryptionKey }: GatewayOptions): Secret {
  const secret = createSecret(
    scope,
    'CanarySecret',
    { keepsData: false, encryptionKey },
    {
      description: 'The key of the canary: { companyId, apiKey }, written by segue company add --canary',
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ companyId: CANARY_UNSET }),
        generateStringKey: 'apiKey',
        excludePunctuation: true,
      },
    },
  );
  acknowledge(secret, {
    'AwsSolutions-SMG4': 'The key belongs to a company, whose keys are rotated with the command line.',
  });
  return secret;
}

/**
 * Creates a secret. Never change `generateSecretString`: CloudFormation would overwrite the live value with a generated
 * one.
 */
function createSecret(
  scope: Construct,
  id: string,
  options: Pick<GatewayOptions, 'keepsData' | 'encryptionKey'>,
  props: SecretProps,
): Secret {
  const { encryptionKey } = options;
  return new Secret(scope, id, {
    ...props,
    ...(encryptionKey && { encryptionKey }),
    removalPolicy: removalPolicyOf(options),
  });
}

/** Grants reading a secret. @param environment the variables that a function needs to use the secret */
export function grantSecret(secret: Secret, environment: Readonly<Record<string, string>>): Grant {
  return {
    statements: [
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
      ...keyStatements(secret.encryptionKey, 'secretsmanager', 'read'),
    ],
    environment,
  };
}

/**
 * Grants rotating a secret. No environment variable names the secret, because Secrets Manager names it in each call.
 */
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

/**
 * Schedules a rotation of the signing key every 30 days. The secret keeps an older key until the tokens signed with it
 * have expired.
 */
export function scheduleRotation(scope: Construct, secret: Secret, rotator: IFunction): void {
  rotator.addPermission('SecretsManager', {
    principal: new ServicePrincipal('secretsmanager.amazonaws.com'),
    sourceAccount: Stack.of(scope).account,
  });
  const schedule = new CfnRotationSchedule(scope, 'RotationSchedule', {
    secretId: secret.secretArn,
    rotationLambdaArn: rotator.functionArn,
    rotationRules: { automaticallyAfterDays: 30 },
    // A deployment alone must not start a rotation.
    rotateImmediatelyOnUpdate: false,
  });
  schedule.node.addDependency(rotator);
}

/**
 * Returns the prefix of the names of secrets of one kind. The commands `segue source` create and delete those of
 * webhooks and fetches, one for each source; `segue events` those of events, one for each company; and `segue destination`
 * those of destinations.
 */
export function secretsPrefix(scope: Construct, kind: 'webhooks' | 'fetches' | 'events' | 'destinations'): string {
  return `segue/${Names.uniqueResourceName(scope, { maxLength: 100, separator: '-' })}/${kind}/`;
}

/** The actions on secrets of a grant. */
const ACTIONS = { read: ['GetSecretValue'], write: ['GetSecretValue', 'CreateSecret', 'DeleteSecret'] } as const;

/**
 * Grants the use of all secrets whose names begin with a prefix.
 * @param variable the environment variable that holds the prefix
 */
export function grantSecrets(
  scope: Construct,
  prefix: string,
  variable: 'SEGUE_WEBHOOK_SECRETS' | 'SEGUE_FETCH_SECRETS' | 'SEGUE_EVENT_SECRETS' | 'SEGUE_DESTINATION_SECRETS',
  { encryptionKey }: GatewayOptions,
  access: keyof typeof ACTIONS = 'read',
): Grant {
  const resourceName = `${prefix}*`;
  const arn = Stack.of(scope).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return {
    statements: [
      new PolicyStatement({ actions: ACTIONS[access].map((action) => `secretsmanager:${action}`), resources: [arn] }),
      ...keyStatements(encryptionKey, 'secretsmanager', access),
    ],
    environment: {
      [variable]: prefix,
      ...(access === 'write' && encryptionKey && { SEGUE_ENCRYPTION_KEY: encryptionKey.keyArn }),
    },
    acknowledged: {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${resourceName}]`]:
        'Sources and companies are added without a deployment: the function needs the secret of each of them.',
    },
  };
}
