import { Problem } from '../contract/problem.ts';
import type { ItemStore } from '../storage/port.ts';
import { acceptWrites } from './delivery-changes.ts';
import { bodyHashOf, type Delivery, readState, stateKey } from './delivery-records.ts';

/** Accepts deliveries for the worker. */
export interface Inbox {
  /**
   * Stores a delivery durably, once.
   * @returns `repeated` if it was accepted before, whatever its result
   * @throws {Problem} `unavailable`, `outcome-unknown`: the sender may retry; `idempotency-key-reused` if another message was
   *   accepted with its id
   */
  accept(delivery: Delivery): Promise<'accepted' | 'repeated'>;
}

/** An inbox in a store. A delivery is one batch, whose condition is that its id is new. */
export function inboxOn(store: ItemStore, { now }: { readonly now: () => number }): Inbox {
  return {
    async accept(delivery) {
      for (let expired: number | undefined; ; ) {
        const { ok } = await store.commit({ writes: acceptWrites(delivery, now(), expired) });
        if (ok) return 'accepted';
        const known = await store.read(stateKey(delivery));
        const isLive = known && (known.expiresAtMs ?? Number.POSITIVE_INFINITY) > now();
        if (!isLive) expired = known?.version;
        else if (readState(known.data).bodyHash === bodyHashOf(delivery.body)) return 'repeated';
        else
          throw new Problem('idempotency-key-reused', {
            detail: 'An earlier message with this id had a different body.',
          });
      }
    },
  };
}
