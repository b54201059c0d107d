import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/** Something a function is given: what it may do, and how it learns where that is. */
export interface Grant {
  readonly statements: readonly PolicyStatement[];
  readonly environment: Readonly<Record<string, string>>;
  /** Findings of the rule packs about the statements, and why they are right all the same. */
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

/** What the use of something that is encrypted with a key asks for; nothing where AWS manages the key. */
export function mayUse(
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
