import { expect, it } from 'vitest';
import { checkDeliveries } from './many/run.ts';

it.each([1, 2, 3])('of hundreds of deliveries each is applied once or is a dead letter (seed %i)', async (seed) => {
  const { applied, dead, duplicates, faults } = await checkDeliveries(300, seed);
  expect(applied).toBeGreaterThan(100);
  expect(dead).toBeGreaterThan(30);
  expect(duplicates).toBeGreaterThan(30);
  expect(faults).toBeGreaterThan(5);
});
