import { randomUUID } from 'node:crypto';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { describeSignIns } from '../lib/credentials/sign-in-suite.ts';
import { createTable } from './table.ts';

describeSignIns('DynamoDB', async () => {
  const table = `segue-${randomUUID()}`;
  await createTable(table);
  return dynamoDbItems(table, dynamoDbClient({ now: Date.now }));
});
