import { expect, it } from 'vitest';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { checkDeliveries } from './many.ts';

const TABLE = new DynamoDbStandIn();

it.each([
  ['memory', () => new MemoryStorage()],
  ['DynamoDB', () => dynamoDbItems(TABLE.tableName, TABLE.client)],
])('applies each of many deliveries in %s once, or makes it a dead letter', async (_, newStore) => {
  const { applied, dead, duplicates, faults } = await checkDeliveries(150, 1, newStore());
  expect(applied + dead).toBe(150);
  for (const count of [applied, dead, duplicates]) expect(count).toBeGreaterThan(15);
  expect(faults).toBeGreaterThan(2);
});
