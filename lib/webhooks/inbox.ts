import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import { isLive, openedAt } from '../deliveries/queue.ts';
import type { Item, ItemStore, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
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
  /**
   * Stores a delivery durably, unless an equal message was accepted a short time ago.
   * @returns the id of the delivery that has the message: the given one, or the earlier one
   * @throws {Problem} `unavailable`, `outcome-unknown`: the sender may retry
   */
  acceptUnlessRecent(
    delivery: Delivery,
    recent: Recent,
  ): Promise<{ readonly id: string; readonly isRepeated: boolean }>;
}

/** What equal messages have in common, and for how long they count as one message. */
export interface Recent {
  readonly key: string;
  /** In milliseconds, from the first message. */
  readonly forMs: number;
}

/** The note of a recent message. It expires when an equal message is a new one. */
const RecentNote = recordOf(() => ({ id: z.string() }));

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

    async acceptUnlessRecent(delivery, { key: recentKey, forMs }) {
      const data = await messageData(delivery);
      const key = { ...stateKey({ source: delivery.source, id: recentKey }), sort: 'recent' };
      for (;;) {
        const nowMs = now();
        const note = { key, data: { id: delivery.id }, expiresAtMs: nowMs + forMs, replacesExpiredAtMs: nowMs };
        const writes: Write[] = [...acceptWrites(delivery, data, nowMs, undefined), { kind: 'insert', ...note }];
        if ((await store.commit({ writes })).ok) return { id: delivery.id, isRepeated: false };
        const known = await store.read(key);
        if (known && isLive(known, nowMs)) return { id: RecentNote.parse(known.data).id, isRepeated: true };
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
