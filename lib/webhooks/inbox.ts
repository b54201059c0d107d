import { Problem } from '../contract/problem.ts';
import type { ItemStore } from '../storage/port.ts';
import type { Inbox } from './delivery.ts';

/** Deliveries in a store, each one record. */
export function inboxOn(store: ItemStore): Inbox {
  return {
    async accept({ id, source, ...delivery }) {
      const data = { ...delivery, body: Buffer.from(delivery.body).toString('base64') };
      const key = { partition: `delivery/${source}`, sort: id };
      if ((await store.commit({ writes: [{ kind: 'insert', key, data }] })).ok) return 'accepted';
      const known = await store.read(key);
      if (Object(known?.data).body === data.body) return 'repeated';
      throw new Problem('idempotency-key-reused', { detail: 'Another message was sent with this id.' });
    },
  };
}
