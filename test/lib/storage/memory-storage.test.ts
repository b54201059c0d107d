import { expect, it } from 'vitest';
import { eachItem, type Write } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { describeStorage } from './storage-suite.ts';

describeStorage('memory', () => new MemoryStorage());

it('the items of a partition are listed over several pages', async () => {
  const storage = new MemoryStorage();
  const sorts = Array.from({ length: 250 }, (_, n) => `n/${n}`);
  for (const sort of ['m', ...sorts]) {
    await storage.commit({ writes: [{ kind: 'insert', key: { partition: 'p', sort }, data: null }] });
  }
  const listed = await Array.fromAsync(eachItem(storage, 'p', 'n/'), ({ sort }) => sort);
  expect(listed).toEqual(sorts.sort().reverse());
});

it('a batch has at most as many operations as a transaction of DynamoDB', async () => {
  const storage = new MemoryStorage();
  const insertion = (sort: number, bytes?: Uint8Array): Write => {
    return { kind: 'insert', key: { partition: 'p', sort: String(sort) }, data: null, ...(bytes && { bytes }) };
  };
  const [small, large] = [new Uint8Array(4_097), new Uint8Array(32_769)];
  const batch = (writes: number, bytes?: Uint8Array) => Array.from({ length: writes }, (_, n) => insertion(n, bytes));
  // A payload outside its item takes another operation, one in the bucket two.
  for (const writes of [batch(101), batch(51, small), batch(34, large)]) {
    await expect(storage.commit({ writes })).rejects.toThrow(RangeError);
  }
  await storage.commit({ writes: batch(33, large) });
  // A dropped payload takes one more, if it is in the bucket.
  const replaced = batch(33).map(({ key }): Write => {
    return { kind: 'replace', key, version: 1, drops: storage.peek(key)?.payload, data: null, bytes: large };
  });
  await expect(storage.commit({ writes: replaced })).rejects.toThrow(RangeError);
  expect(await storage.commit({ writes: replaced.slice(0, 25) })).toEqual({ ok: true });
});
