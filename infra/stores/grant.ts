import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/** Access of a function to one resource: the statements of its role, and the variables that name the resource. */
export interface Grant {
  readonly statements: readonly PolicyStatement[];
  readonly environment: Readonly<Record<string, string>>;
  /** Findings of cdk-nag about the statements, each with the reason to accept it. */
  readonly acknowledged?: Readonly<Record<string, string>>;
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
} as const;

/** Allows a KMS key for what one service encrypts with it. Returns no statement if AWS manages the key. */
export function keyStatements(
  key: IKey | undefined,
  service: 'dynamodb' | 's3' | 'secretsmanager',
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
