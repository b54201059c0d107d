import { Problem } from '../contract/problem.ts';
import type { Item, ItemStore, Key, Write } from '../storage/port.ts';
import {
  bodyHashOf,
  type Delivery,
  type DeliveryRef,
  type DeliveryState,
  deadLetterKey,
  KNOWN_MS,
  MESSAGE_MS,
  messageData,
  messageKey,
  OPEN_DELIVERIES,
  readState,
  stateKey,
} from './delivery-records.ts';

/** A delivery as the store returned it. The next change succeeds only if the store still has this version. */
export interface StoredDelivery<S extends DeliveryState = DeliveryState> {
  readonly ref: DeliveryRef;
  readonly state: S;
  readonly version: number;
}

/** Whether an item has not expired. The store may still return expired items. */
export function isLive({ expiresAtMs = Number.POSITIVE_INFINITY }: Item, nowMs: number): boolean {
  return expiresAtMs > nowMs;
}

/** Reads the state of a delivery. @returns `undefined` if its id is unknown or has expired */
export async function readDelivery(
  store: ItemStore,
  { source, id }: DeliveryRef,
  nowMs: number,
): Promise<StoredDelivery | undefined> {
  const item = await store.read(stateKey({ source, id }));
  if (!item || !isLive(item, nowMs)) return undefined;
  return { ref: { source, id }, state: readState(item.data), version: item.version };
}

/**
 * Changes the state of a delivery, and its entry in the list of open deliveries or dead letters, in one batch. The
 * batch expects the version that was read. A worker that takes the lease changes the version, so a worker that has lost
 * its lease changes nothing.
 * @param others further writes for the same batch
 * @returns the delivery after the change; `undefined` if the store refused the batch because an item has changed
 */
export async function changeDelivery<S extends DeliveryState>(
  store: ItemStore,
  { ref, state, version }: StoredDelivery,
  next: S,
  others: readonly Write[] = [],
): Promise<StoredDelivery<S> | undefined> {
  const before = listKey(ref, state);
  const after = listKey(ref, next);
  const expiry = next.kind === 'open' ? {} : { expiresAtMs: next.endedAtMs + KNOWN_MS };
  const writes: Write[] = [{ kind: 'replace', key: stateKey(ref), version, data: next, ...expiry }];
  if (before?.sort !== after?.sort) {
    // The entry of a list is never replaced, so its version is always 1.
    if (before) writes.push({ kind: 'remove', key: before, version: 1 });
    if (after) writes.push({ kind: 'insert', key: after, data: {}, ...expiry });
  }
  const { ok } = await store.commit({ writes: [...writes, ...others] });
  return ok ? { ref, state: next, version: version + 1 } : undefined;
}

/** Returns the key of a delivery in the list of open deliveries or dead letters; `undefined` in other states. */
function listKey(ref: DeliveryRef, state: DeliveryState): Key | undefined {
  if (state.kind === 'open') return OPEN_DELIVERIES.keyOf({ ...ref, companyId: state.companyId }, state.dueMs);
  return state.kind === 'dead' ? deadLetterKey(ref, state.endedAtMs) : undefined;
}

/** Makes the write that erases a message. @param version the version of the message's item */
export function eraseMessage(ref: DeliveryRef, version: number): Write {
  return { kind: 'remove', key: messageKey(ref), version, erase: true };
}

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
  const opened = { openedAtMs: nowMs, dueMs: nowMs, attempts: 0 };
  const bodyHash = bodyHashOf(body);
  const data: DeliveryState = { kind: 'open', companyId, receivedAtMs, traceId, bodyHash, ...opened };
  return [
    expired ? { kind: 'replace', key, version: expired.version, data } : { kind: 'insert', key, data },
    // `put` instead of `insert`, because an expired message may still be in the store.
    { kind: 'put', key: messageKey(delivery), data: message, expiresAtMs: receivedAtMs + MESSAGE_MS },
    { kind: 'insert', key: OPEN_DELIVERIES.keyOf(delivery, nowMs), data: {} },
  ];
}
