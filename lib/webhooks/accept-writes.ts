import { openedAt } from '../deliveries/queue.ts';
import type { Item, Write } from '../storage/port.ts';
import { DELIVERIES } from './delivery-queue.ts';
import { bodyHashOf, type Delivery, type DeliveryState, MESSAGE_MS, messageKey, stateKey } from './delivery-records.ts';

/**
 * Makes the writes that store a new delivery.
 * @param message the data of the item of its message
 * @param expired an expired delivery with the same id, to replace
 */
export function acceptWrites(delivery: Delivery, message: unknown, nowMs: number, expired: Item | undefined): Write[] {
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
