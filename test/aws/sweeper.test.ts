import { ListObjectVersionsCommand, PutBucketVersioningCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll } from 'vitest';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { describeObjects } from '../lib/storage/dynamodb/objects-suite.ts';
import { createStore } from './store.ts';

const client = dynamoDbClient({ now: Date.now });
const s3 = s3Client();
afterAll(() => s3.destroy());

describeObjects('DynamoDB and S3', async () => {
  const { table, bucket: Bucket } = await createStore();
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
  return {
    table,
    client,
    objects: objectsIn(Bucket, s3),
    async versions() {
      const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
      return Versions.length + DeleteMarkers.length;
    },
    overwrite: (Key, Body) => s3.send(new PutObjectCommand({ Bucket, Key, Body })),
  };
});
