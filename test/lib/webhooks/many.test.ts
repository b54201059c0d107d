import { expect, it } from 'vitest';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { checkDeliveries } from './many.ts';
import { tableAt } from './world.ts';

it.each([
  ['memory', () => new MemoryStorage()],
  ['DynamoDB', () => tableAt(new DynamoDbStandIn())],
])('applies each of many deliveries in %s once, or makes it a dead letter', async (_, newStore) => {
  const { applied, dead, duplicates, faults } = await checkDeliveries(150, 1, newStore());
  expect(applied + dead).toBe(150);
  for (const count of [applied, dead, duplicates]) expect(count).toBeGreaterThan(15);
  expect(faults).toBeGreaterThan(2);
});
