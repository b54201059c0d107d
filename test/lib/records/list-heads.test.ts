import { describe, expect, it } from 'vitest';
import { companyPartition, projectKey } from '../../../lib/records/keys.ts';
import { type HeadReader, listHeads } from '../../../lib/records/list-heads.ts';
import type { Item, ListRange } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';

const idOf = ({ sort }: Pick<Item, 'sort'>) => Number(sort.slice('project/'.length));

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
  const page = (query: { limit: number; after?: number; customIdPrefix?: string }, more: Partial<HeadReader> = {}) =>
    listHeads(reader, 'acme', query, {
      sizeOf: () => 100,
      async read(item) {
        const id = idOf(item);
        return { id, ...(id % 100 === 0 && { customId: `c${id}` }) };
      },
      complete: async (_, head) => head,
      ...more,
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
    scanned: 199,
  });
});

it('reads no head of a project that cannot fit, and ends a page after some megabytes of heads that do not fit', async () => {
  const { page } = await storeOf(20);
  const read: string[] = [];
  const reader = (isKnown: boolean): Partial<HeadReader> => ({
    ...(isKnown && { mayFit: async ({ sort }) => sort.endsWith('7') }),
    sizeOf: () => 1_500_000,
    async read({ sort }) {
      read.push(sort);
      return { id: idOf({ sort }) };
    },
  });
  const wanted = { limit: 9, customIdPrefix: 'none' };
  expect(await page(wanted, reader(true))).toEqual({ projects: [], scanned: 20 });
  expect(read).toHaveLength(2);
  expect(await page(wanted, reader(false))).toEqual({ projects: [], scanned: 3, next: 18 });
});

it('reads one page of the store without a filter', async () => {
  const { page, ranges } = await storeOf(30);
  expect((await page({ limit: 10 })).next).toBe(21);
  expect(ranges).toMatchObject([{ limit: 10 }]);
});

describe('the heads of a page', () => {
  /** Lists a page whose reads end in the reverse order of their starts, and returns the most reads at once. */
  async function mostAtOnce(sizeOf: (item: Item) => number) {
    const { page } = await storeOf(40);
    let [running, most] = [0, 0];
    const started: (() => void)[] = [];
    const read = async (item: Item) => {
      most = Math.max(most, ++running);
      const { promise, resolve } = Promise.withResolvers<void>();
      started.push(resolve);
      setImmediate(() => started.pop()?.());
      await promise;
      running--;
      return { id: idOf(item) };
    };
    const completed: number[] = [];
    const complete: HeadReader['complete'] = async (_, head) => {
      completed.push(head.id);
      return head;
    };
    const { projects } = await page({ limit: 30 }, { sizeOf, read, complete });
    const expected = Array.from({ length: 30 }, (_, n) => 40 - n);
    expect(projects.map(({ id }) => id)).toEqual(expected);
    expect(completed).toEqual(expected);
    return most;
  }

  it('are read 16 at once, if they are small, and shown in their order', async () => {
    expect(await mostAtOnce(() => 1_000)).toBe(16);
  });

  it('are read so that they have a MiB together, and one by one if each has more', async () => {
    expect(await mostAtOnce(() => 300_000)).toBe(3);
    expect(await mostAtOnce(() => 4_000_000)).toBe(1);
    expect(await mostAtOnce(() => Number.POSITIVE_INFINITY)).toBe(1);
    expect(await mostAtOnce((item) => (idOf(item) % 2 === 0 ? 2_000_000 : 10))).toBe(1);
  });

  it('end with the error of the first that cannot be read, and no later error is left', async () => {
    const { page } = await storeOf(40);
    const read = async (item: Item) => {
      if (idOf(item) < 38) throw new Error(`project ${idOf(item)}`);
      return { id: idOf(item) };
    };
    await expect(page({ limit: 30 }, { read })).rejects.toThrow('project 37');
    expect((await page({ limit: 2 }, { read })).projects).toEqual([{ id: 40 }, { id: 39 }]);
  });

  it('are left out of the page if their project was deleted meanwhile', async () => {
    const { page } = await storeOf(5);
    const read = async (item: Item) => (idOf(item) === 4 ? undefined : { id: idOf(item) });
    const complete: HeadReader['complete'] = async (item, head) => (idOf(item) === 2 ? undefined : head);
    expect((await page({ limit: 5 }, { read, complete })).projects.map(({ id }) => id)).toEqual([5, 3, 1]);
  });
});
