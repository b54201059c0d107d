import { RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import { type Grant, mayUse } from './grant.ts';

/** The keys that sign access tokens. */
export function makeSigningSecret(scope: Construct, { keepsData, encryptionKey }: GatewayOptions): Secret {
  return new Secret(scope, 'SigningSecret', {
    description: 'Keys that sign access tokens, the first of them generated: { id, secret }',
    ...(encryptionKey && { encryptionKey }),
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    // CloudFormation makes a generated value anew, over the rotated one, when what follows changes: it never may
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ id: 'initial' }),
      generateStringKey: 'secret',
      passwordLength: 64,
      excludePunctuation: true,
    },
  });
}

/** The company id and API key at the service behind Segue. */
export function makeUpstreamSecret(scope: Construct, { keepsData, encryptionKey }: GatewayOptions): Secret {
  const secret = new Secret(scope, 'UpstreamSecret', {
    description: 'Credentials of the service behind Segue: { companyId, apiKey }, filled in by the operator',
    ...(encryptionKey && { encryptionKey }),
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    // CloudFormation makes a generated value anew, over the operator's, when what follows changes: it never may
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ companyId: 'fill-in' }),
      generateStringKey: 'apiKey',
      excludePunctuation: true,
    },
  });
  acknowledge(secret, {
    'AwsSolutions-SMG4': 'The key belongs to the service behind Segue, which alone can issue another one.',
  });
  return secret;
}

const ROTATING = ['DescribeSecret', 'GetSecretValue', 'PutSecretValue', 'UpdateSecretVersionStage'] as const;

/** Reading a secret, and nothing told of where it is. */
export function mayRead(secret: Secret): PolicyStatement[] {
  return [
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
    ...mayUse(secret.encryptionKey, 'secretsmanager', 'read'),
  ];
}

/** Rotating a secret. Secrets Manager says which with each call. */
export function grantRotation(secret: Secret): Grant {
  const actions = ROTATING.map((action) => `secretsmanager:${action}`);
  return {
    statements: [
      new PolicyStatement({ actions, resources: [secret.secretArn] }),
      ...mayUse(secret.encryptionKey, 'secretsmanager', 'write'),
    ],
    environment: {},
  };
}
