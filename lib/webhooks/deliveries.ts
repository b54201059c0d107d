import { Problem } from '../contract/problem.ts';
import type { Item, ItemStore, Key, Write } from '../storage/port.ts';
import {
  bodyHashOf,
  type Delivery,
  type DeliveryRef,
  type DeliveryState,
  deadLetterKey,
  dueKey,
  KNOWN_MS,
  MESSAGE_MS,
  messageData,
  messageKey,
  readState,
  stateKey,
} from './delivery-records.ts';

/** A delivery as it was read from the store. */
export interface StoredDelivery<S extends DeliveryState = DeliveryState> {
  readonly ref: DeliveryRef;
  readonly state: S;
  readonly version: number;
}

/** Whether an item may still be used. The store removes expired items later. */
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
 * Changes the state of a delivery and its entry in a list, in one batch. The store refuses the batch of a worker whose lease
 * has expired, because the batch names the version of the state.
 * @param others further writes of the batch
 * @returns the delivery after the change; `undefined` if it was changed since it was read
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
    // Entries of lists are never replaced.
    if (before) writes.push({ kind: 'remove', key: before, version: 1 });
    if (after) writes.push({ kind: 'insert', key: after, data: {}, ...expiry });
  }
  const { ok } = await store.commit({ writes: [...writes, ...others] });
  return ok ? { ref, state: next, version: version + 1 } : undefined;
}

/** The key of a delivery in the list of open deliveries or dead letters. */
function listKey(ref: DeliveryRef, state: DeliveryState): Key | undefined {
  if (state.kind === 'open') return dueKey(ref, state.dueMs);
  return state.kind === 'dead' ? deadLetterKey(ref, state.endedAtMs) : undefined;
}

/** Erases a message. @param version the version of the message */
export function eraseMessage(ref: DeliveryRef, version: number): Write {
  return { kind: 'remove', key: messageKey(ref), version, erase: true };
}

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
      for (let expired: Item | undefined; ; ) {
        if ((await store.commit({ writes: acceptWrites(delivery, now(), expired) })).ok) return 'accepted';
        const known = await store.read(stateKey(delivery));
        if (!known || !isLive(known, now())) expired = known;
        else if (readState(known.data).bodyHash === bodyHashOf(delivery.body)) return 'repeated';
        else
          throw new Problem('idempotency-key-reused', {
            detail: 'An earlier message with this id had a different body.',
          });
      }
    },
  };
}

/** @param expired an expired delivery that has the same id */
function acceptWrites(delivery: Delivery, nowMs: number, expired: Item | undefined): Write[] {
  const { companyId, receivedAtMs, body } = delivery;
  const key = stateKey(delivery);
  const opened = { openedAtMs: nowMs, dueMs: nowMs, attempts: 0 };
  const data: DeliveryState = { kind: 'open', companyId, receivedAtMs, bodyHash: bodyHashOf(body), ...opened };
  const message = { key: messageKey(delivery), data: messageData(delivery), expiresAtMs: receivedAtMs + MESSAGE_MS };
  return [
    expired ? { kind: 'replace', key, version: expired.version, data } : { kind: 'insert', key, data },
    // An expired message may still be in the store.
    { kind: 'put', ...message },
    { kind: 'insert', key: dueKey(delivery, nowMs), data: {} },
  ];
}
