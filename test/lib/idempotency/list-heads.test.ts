import { expect, it } from 'vitest';
import { companyPartition, listHeads, projectKey } from '../../../lib/idempotency/project-item.ts';
import type { ListRange } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';

/** Returns a store with projects 1 to `count`, of which every hundredth has a custom id, and the ranges that it reads. */
async function storeOf(count: number) {
  const storage = new MemoryStorage();
  for (let id = 1; id <= count; id++) {
    const data = { id, ...(id % 100 === 0 && { customId: `c${id}` }) };
    await storage.commit({ writes: [{ kind: 'insert', key: projectKey('acme', id), data }] });
  }
  const ranges: ListRange[] = [];
  const list: MemoryStorage['list'] = (partition, range) => {
    expect(partition).toBe(companyPartition('acme'));
    ranges.push(range);
    return storage.list(partition, range);
  };
  const reader = Object.assign(Object.create(storage), { list });
  const page = (query: { limit: number; after?: number; customIdPrefix?: string }) =>
    listHeads(reader, 'acme', query, async ({ sort }) => {
      const id = Number(sort.slice('project/'.length));
      return { id, ...(id % 100 === 0 && { customId: `c${id}` }) };
    });
  return { page, ranges };
}

it('reads at most a thousand projects for a page of few that fit, and the pages lead to all of them', async () => {
  const { page, ranges } = await storeOf(2_500);
  const found: number[] = [];
  let pages = 0;
  for (let after: number | undefined; ; pages++) {
    ranges.splice(0);
    const { projects, next } = await page({ limit: 100, customIdPrefix: 'c', ...(after !== undefined && { after }) });
    found.push(...projects.map(({ id }) => id));
    expect(ranges.length).toBeLessThanOrEqual(10);
    if (next === undefined) break;
    after = next;
  }
  expect(pages).toBe(2);
  expect(found).toEqual(Array.from({ length: 25 }, (_, n) => 2_500 - n * 100));
});

it('ends a page of projects that fit at its limit', async () => {
  const { page } = await storeOf(500);
  expect(await page({ limit: 2, customIdPrefix: 'c' })).toMatchObject({
    projects: [{ id: 500 }, { id: 400 }],
    next: 400,
  });
  expect(await page({ limit: 2, customIdPrefix: 'c', after: 200 })).toEqual({
    projects: [{ id: 100, customId: 'c100' }],
  });
});

it('reads one page of the store without a filter', async () => {
  const { page, ranges } = await storeOf(30);
  expect((await page({ limit: 10 })).next).toBe(21);
  expect(ranges).toMatchObject([{ limit: 10 }]);
});
