import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { shardsOf } from '../../../lib/storage/shards.ts';

const { partitions, partitionOf } = shardsOf('list');

it('puts the entry with an id into the same partition each time', () => {
  expect(partitions).toHaveLength(16);
  for (const id of ['', 'a', 'ä', 'company/acme/1', randomUUID()]) {
    expect(partitions).toContain(partitionOf(id));
    expect(shardsOf('list').partitionOf(id)).toBe(partitionOf(id));
  }
});

it.each([
  ['random ids', () => randomUUID()],
  ['objects of one company', () => `company/acme/${randomUUID()}`],
  ['numbers', (n: number) => `job-${n}`],
])('spreads %s evenly', (_, idOf) => {
  const ids = Array.from({ length: 16_000 }, (_, n) => idOf(n));
  const sizes = [...Map.groupBy(ids, partitionOf).values()].map(({ length }) => length);
  expect(sizes).toHaveLength(16);
  // With 1,000 expected, the standard deviation is 31.
  expect(Math.max(...sizes)).toBeLessThan(1_250);
});
