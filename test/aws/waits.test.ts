import { randomUUID } from 'node:crypto';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { describeWaits } from '../lib/workflow/waits/waits-suite.ts';
import { createTable } from './table.ts';

describeWaits('DynamoDB', async () => {
  const table = `segue-${randomUUID()}`;
  await createTable(table);
  return dynamoDbItems(table, dynamoDbClient({ now: Date.now }));
});
