import { randomUUID } from 'node:crypto';
import { dynamoDbStorage } from '../../../../lib/storage/dynamodb/storage.ts';
import { DynamoDbStandIn } from '../../../support/aws/dynamodb.ts';
import { S3StandIn } from '../../../support/aws/s3.ts';
import { describeStorage } from '../storage-suite.ts';

describeStorage('DynamoDB and S3, in memory', () => {
  const { client, tableName: table } = new DynamoDbStandIn();
  return dynamoDbStorage({ table, client, objects: new S3StandIn().objects, now: Date.now, newId: randomUUID });
});
