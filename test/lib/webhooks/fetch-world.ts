import { randomBytes } from 'node:crypto';
import type { ListedStore } from '../../../lib/storage/port.ts';
import type { FetchEntry } from '../../../lib/webhooks/fetch-entry.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { creation, DeliveryWorld, identity } from './world.ts';

/** An entry with a command. */
export const PAGE = creation({ customId: 'page' });
/** An entry of the most bytes, which gzip cannot make small. It has no command. */
export const LARGE = { text: randomBytes(3_100_000).toString('base64') };

/** Returns a world whose source fetches an entry for each message, with one message. The mapping returns the entry. */
export async function fetchWorld(entry: unknown = PAGE, store?: ListedStore) {
  const world = new DeliveryWorld(store);
  const content = {
    /** What the content system has now. */
    entry,
    failure: undefined as unknown,
    fetches: 0,
  };
  const fetchEntry: FetchEntry = async () => {
    content.fetches++;
    if (content.failure !== undefined) throw content.failure;
    return content.entry === undefined ? undefined : JSON.stringify(content.entry);
  };
  const fetch = { url: 'body.url', hosts: ['cms.test'] };
  world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'fetched', fetch });
  world.mapper = {
    ...identity,
    apply: async (_, { fetchedJson = 'null' }) => {
      const fetched = JSON.parse(fetchedJson);
      return fetched !== null && 'text' in fetched ? undefined : fetched;
    },
  };
  const message = world.message({ id: 7 });
  await world.inbox.accept(message);
  const openFetch = async () => fetchEntry;
  return { world, content, message, openFetch, run: () => world.run({ openFetch }) };
}

/** Returns the stored chunks of fetched entries. */
export function chunksOf({ store }: DeliveryWorld) {
  const items = store instanceof MemoryStorage ? store.all() : [];
  return items.filter(({ sort }) => sort.startsWith('fetched/'));
}
