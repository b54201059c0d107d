import { DynamoDbStandIn } from '../../../support/aws/dynamodb.ts';
import { S3StandIn } from '../../../support/aws/s3.ts';
import { describeObjects } from './objects-suite.ts';

describeObjects('DynamoDB and S3, in memory', async () => {
  const { client, tableName: table } = new DynamoDbStandIn();
  const s3 = new S3StandIn();
  return {
    table,
    client,
    objects: s3.objects,
    versions: async () => s3.versions.length,
    overwrite: async (name, bytes) => s3.write(name, bytes),
  };
});
