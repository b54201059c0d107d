import { expect, it } from 'vitest';
import { eachItem } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { describeStorage } from './storage-suite.ts';

describeStorage('memory', () => new MemoryStorage());

it('the items of a partition are listed over several pages', async () => {
  const storage = new MemoryStorage();
  const sorts = Array.from({ length: 250 }, (_, n) => `n/${n}`);
  await storage.commit({
    writes: ['m', ...sorts].map((sort) => ({ kind: 'insert', key: { partition: 'p', sort }, data: null })),
  });
  const listed = await Array.fromAsync(eachItem(storage, 'p', 'n/'), ({ sort }) => sort);
  expect(listed).toEqual(sorts.sort().reverse());
});
