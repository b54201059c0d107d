import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { s3Client } from '../../lib/storage/dynamodb/objects.ts';
import type { Aws } from '../faults/aws-world.ts';
import { createTable } from './table.ts';

/** A table and a bucket like the stack's. */
export interface AwsStore {
  readonly table: string;
  readonly bucket: string;
}

export async function createStore(): Promise<AwsStore> {
  const [table, bucket] = [`segue-${randomUUID()}`, `segue-${randomUUID()}`];
  const s3 = s3Client();
  await createTable(table);
  const region = { LocationConstraint: 'eu-central-1' } as const;
  await s3.send(new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: region }));
  s3.destroy();
  return { table, bucket };
}

/** Creates a table and a bucket, and returns functions that create clients. */
export async function createAws(): Promise<Aws> {
  return {
    ...(await createStore()),
    dynamoDb: () => dynamoDbClient({ now: Date.now }),
    sdk: () => new DynamoDBClient(),
    s3: s3Client,
  };
}

/** Returns the settings with which `npm start` uses a store. */
export function settingsOf({ table, bucket }: AwsStore): Record<string, string> {
  return { ...awsSettings(), SEGUE_TABLE: table, SEGUE_BUCKET: bucket };
}

/** Returns the settings of the emulators. */
export function awsSettings(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = '']) => (name.startsWith('AWS_') ? [[name, value]] : [])),
  );
}
