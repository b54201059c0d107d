import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { GatewayOptions } from '../options.ts';

/**
 * The access of a function to one resource: the statements for the function's role, and the environment variables that
 * name the resource.
 */
export interface Grant {
  readonly statements: readonly PolicyStatement[];
  readonly environment: Readonly<Record<string, string>>;
  /** The reason to accept each finding of cdk-nag about the statements, by the finding's id. */
  readonly acknowledged?: Readonly<Record<string, string>>;
}

/** Returns the variables of settings that are set. */
export function variablesOf(settings: Readonly<Record<string, string | number | undefined>>): Record<string, string> {
  const set = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}

/** Returns the property that encrypts a log group with the gateway's KMS key, if there is one. */
export function encrypted({ encryptionKey }: Pick<GatewayOptions, 'encryptionKey'>): { readonly encryptionKey?: IKey } {
  return encryptionKey ? { encryptionKey } : {};
}

const KEY_ACTIONS = {
  read: ['kms:Decrypt', 'kms:DescribeKey'],
  write: [
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
    'kms:ReEncryptFrom',
    'kms:ReEncryptTo',
  ],
  /** Sending messages to an encrypted queue. */
  send: ['kms:Decrypt', 'kms:GenerateDataKey'],
} as const;

/**
 * Returns the statements that allow using a KMS key, but only through one AWS service. Returns no statement if AWS
 * manages the key.
 */
export function keyStatements(
  key: IKey | undefined,
  service: 'dynamodb' | 's3' | 'secretsmanager' | 'sqs',
  access: keyof typeof KEY_ACTIONS,
): PolicyStatement[] {
  if (!key) return [];
  const { region, urlSuffix } = Stack.of(key);
  return [
    new PolicyStatement({
      actions: [...KEY_ACTIONS[access]],
      resources: [key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `${service}.${region}.${urlSuffix}` } },
    }),
  ];
}
