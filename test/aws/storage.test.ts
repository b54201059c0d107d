import { randomUUID } from 'node:crypto';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { describeStorage } from '../lib/storage/storage-suite.ts';
import { createTable } from './table.ts';

const client = dynamoDbClient({ now: Date.now });
const s3 = s3Client();
const bucket = `segue-${randomUUID()}`;

beforeAll(() =>
  s3.send(
    new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: { LocationConstraint: 'eu-central-1' } }),
  ),
);
afterAll(() => s3.destroy());

describeStorage('DynamoDB and S3', async () => {
  const table = `segue-${randomUUID()}`;
  await createTable(table);
  return dynamoDbStorage({ table, client, objects: objectsIn(bucket, s3), now: Date.now, newId: randomUUID });
});
