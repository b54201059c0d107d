import type { ItemStore } from '../storage/port.ts';
import type { Delivery, Inbox } from './delivery.ts';

/** Deliveries in a store, each one record. */
export function inboxOn(store: ItemStore): Inbox {
  return {
    async accept({ id, source, ...delivery }: Delivery) {
      const data = { ...delivery, body: Buffer.from(delivery.body).toString('base64') };
      const key = { partition: `delivery/${source}`, sort: id };
      return (await store.commit({ writes: [{ kind: 'insert', key, data }] })).ok ? 'accepted' : 'repeated';
    },
  };
}
