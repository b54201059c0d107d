import { Problem } from '../contract/problem.ts';
import { isLive, openedAt } from '../deliveries/queue.ts';
import type { Item, ItemStore, Write } from '../storage/port.ts';
import { DELIVERIES } from './delivery-queue.ts';
import {
  bodyHashOf,
  type Delivery,
  type DeliveryState,
  MESSAGE_MS,
  messageData,
  messageKey,
  readState,
  stateKey,
} from './delivery-records.ts';

/** Stores received messages as deliveries, which a worker runs later. */
export interface Inbox {
  /**
   * Stores a delivery durably, once.
   * @returns `repeated` if this message was accepted before, even if its delivery failed
   * @throws {Problem} `unavailable`, `outcome-unknown`: the sender may retry
   * @throws {Problem} `idempotency-key-reused` if a message with another body was accepted under this id
   */
  accept(delivery: Delivery): Promise<'accepted' | 'repeated'>;
}

/** Creates an inbox in a store. It stores each delivery in one batch, which the store refuses if the id is known. */
export function inboxOn(store: ItemStore, { now }: { readonly now: () => number }): Inbox {
  return {
    async accept(delivery) {
      const data = await messageData(delivery);
      for (let expired: Item | undefined; ; ) {
        if ((await store.commit({ writes: acceptWrites(delivery, data, now(), expired) })).ok) return 'accepted';
        const known = await store.read(stateKey(delivery));
        if (!known || !isLive(known, now())) expired = known;
        else if (readState(known.data).bodyHash === bodyHashOf(delivery.body)) return 'repeated';
        else
          throw new Problem('idempotency-key-reused', {
            detail: 'An earlier message with this id had a different body. Each message needs its own id.',
          });
      }
    },
  };
}

/**
 * Makes the writes that store a new delivery.
 * @param message the data of the item of its message
 * @param expired an expired delivery with the same id, to replace
 */
function acceptWrites(delivery: Delivery, message: unknown, nowMs: number, expired: Item | undefined): Write[] {
  const { companyId, receivedAtMs, traceId, body } = delivery;
  const key = stateKey(delivery);
  const bodyHash = bodyHashOf(body);
  const data: DeliveryState = { ...openedAt(nowMs), companyId, receivedAtMs, traceId, bodyHash };
  return [
    expired ? { kind: 'replace', key, version: expired.version, data } : { kind: 'insert', key, data },
    // `put` instead of `insert`, because an expired message may still be in the store.
    { kind: 'put', key: messageKey(delivery), data: message, expiresAtMs: receivedAtMs + MESSAGE_MS },
    { kind: 'insert', key: DELIVERIES.list.keyOf(delivery, nowMs), data: {} },
  ];
}
