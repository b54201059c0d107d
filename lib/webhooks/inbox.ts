import { Problem } from '../contract/problem.ts';
import { isLive } from '../deliveries/queue.ts';
import type { Item, ItemStore } from '../storage/port.ts';
import type { Acceptance, Recent } from './accept-unless-recent.ts';
import { acceptWrites } from './accept-writes.ts';
import { bodyHashOf, type Delivery, messageData, readState, stateKey } from './delivery-records.ts';

/** Stores received messages as deliveries, which a worker runs later. */
export interface Inbox {
  /**
   * Stores a delivery durably, once.
   * @returns `repeated` if this message was accepted before, even if its delivery failed
   * @throws {Problem} `unavailable`, `outcome-unknown`: the sender may retry
   * @throws {Problem} `idempotency-key-reused` if a message with another body was accepted under this id
   */
  accept(delivery: Delivery): Promise<'accepted' | 'repeated'>;
  /**
   * Stores a delivery durably, unless an equal message was accepted a short time ago.
   * @returns the id of the delivery that has the message: the given one, or the earlier one
   * @throws {Problem} `unavailable`, `outcome-unknown`: the sender may retry
   */
  acceptUnlessRecent(delivery: Delivery, recent: Recent): Promise<Acceptance>;
}

/** Creates an inbox in a store. It stores each delivery in one batch, which the store refuses if the id is known. */
export function inboxOn(store: ItemStore, { now }: { readonly now: () => number }): Inbox {
  return {
    async accept(delivery) {
      const data = await messageData(delivery);
      for (let expired: Item | undefined; ; ) {
        const { ok } = await store.commit({ writes: acceptWrites(delivery, data, now(), expired) });
        if (ok) return 'accepted';
        const known = await store.read(stateKey(delivery));
        if (!known || !isLive(known, now())) expired = known;
        else if (readState(known.data).bodyHash === bodyHashOf(delivery.body)) return 'repeated';
        else
          throw new Problem('idempotency-key-reused', {
            detail: 'An earlier message with this id had a different body. Each message needs its own id.',
          });
      }
    },

    async acceptUnlessRecent(delivery, recent) {
      const { acceptUnlessRecent } = await import('./accept-unless-recent.ts');
      return acceptUnlessRecent(store, { delivery, recent, now });
    },
  };
}
