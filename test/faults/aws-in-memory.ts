import { DynamoDbStandIn } from '../support/aws/dynamodb.ts';
import { S3StandIn } from '../support/aws/s3.ts';
import type { Aws } from './aws-world.ts';

/** AWS as tests without a network have it. */
export function awsInMemory(): Aws {
  const [dynamoDb, s3] = [new DynamoDbStandIn(), new S3StandIn()];
  return {
    table: dynamoDb.tableName,
    bucket: s3.bucket,
    dynamoDb: () => dynamoDb.newClient(),
    sdk: () => dynamoDb.newSdkClient(),
    s3: () => s3.newClient(),
  };
}
