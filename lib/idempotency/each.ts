import type { Item, ListedStore } from '../storage/port.ts';

/** The most that is read of a partition at once. */
const PAGE = { limit: 100, maxBytes: 1_000_000 } as const;

/** Every item of a partition whose sort key begins so, the last first. Meanwhile others may change what is still to come. */
export async function* eachItem(
  storage: Pick<ListedStore, 'list'>,
  partition: string,
  prefix: string,
): AsyncGenerator<Item> {
  for (let before: string | undefined; ; ) {
    const { items, more } = await storage.list(partition, { prefix, before, ...PAGE });
    yield* items;
    before = items.at(-1)?.sort;
    if (!more) return;
  }
}
