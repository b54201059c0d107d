import { expect, it } from 'vitest';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { checkDeliveries } from './many/run.ts';
import { tableAt } from './world.ts';

it.each([
  [1, () => new MemoryStorage()],
  [2, () => new MemoryStorage()],
  [3, () => new MemoryStorage()],
  [4, () => tableAt(new DynamoDbStandIn())],
])('applies each of hundreds of deliveries once, or makes it a dead letter (seed %i)', async (seed, store) => {
  const { applied, dead, duplicates, faults } = await checkDeliveries(300, seed, store());
  expect(applied + dead).toBe(300);
  expect(applied).toBeGreaterThan(100);
  expect(dead).toBeGreaterThan(30);
  expect(duplicates).toBeGreaterThan(30);
  expect(faults).toBeGreaterThan(5);
});
