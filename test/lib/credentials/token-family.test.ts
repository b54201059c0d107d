import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { openSqlite } from '../storage/folder.ts';
import { describeSignIns } from './sign-in-suite.ts';

describeSignIns('SQLite', async (now) => openSqlite(now));

describeSignIns('DynamoDB, in memory', async () => {
  const { client, tableName } = new DynamoDbStandIn();
  return dynamoDbItems(tableName, client);
});
