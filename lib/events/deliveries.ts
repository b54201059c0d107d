import { randomInt } from 'node:crypto';
import { Problem } from '../contract/problem.ts';
import { asUnavailable, eachItem, type ItemStore, type Key, type ListedStore, type Write } from '../storage/port.ts';
import {
  type EventDeliveryRef,
  type EventDeliveryState,
  eventDeliveryKey,
  FAILED_EVENTS,
  FAILED_MS,
  type FailedEventDelivery,
  failedEventKey,
  OPEN_EVENTS,
  readEventDelivery,
  readFailedEventKey,
  refOf,
} from './delivery-records.ts';
import type { EventToSend } from './outbox-mover.ts';

/** A delivery as the store returned it. The next change succeeds only if the store still has this version. */
export interface StoredEventDelivery<S extends EventDeliveryState = EventDeliveryState> {
  readonly ref: EventDeliveryRef;
  readonly state: S;
  readonly version: number;
}

/** The upper limit of a delivery's first version, which is random, because a delivery may be opened again. */
const MAX_FIRST_VERSION = 2 ** 48 - 1;

/**
 * Creates the function that opens the delivery of an event. If the delivery is in the store, nothing changes.
 * @param now returns the current time, in milliseconds since 1970
 */
export function eventDeliveryOpener(store: ItemStore, now: () => number): (toSend: EventToSend) => Promise<void> {
  return async (toSend) => {
    const ref = refOf(toSend);
    const opened = { openedAtMs: now(), dueMs: now(), attempts: 0, isSending: false };
    const data: EventDeliveryState = { kind: 'open', ...toSend, ...opened };
    const writes: Write[] = [
      { kind: 'insert', key: eventDeliveryKey(ref), data, firstVersion: randomInt(1, MAX_FIRST_VERSION) },
      { kind: 'insert', key: OPEN_EVENTS.keyOf(ref, data.dueMs), data: {} },
    ];
    await store.commit({ writes }).catch(asUnavailable('Segue could not queue an event. Send the request again.'));
  };
}

/** Reads a delivery; `undefined` if it is unknown or has succeeded. */
export async function readDelivery(
  store: Pick<ItemStore, 'read'>,
  ref: EventDeliveryRef,
): Promise<StoredEventDelivery | undefined> {
  const item = await store.read(eventDeliveryKey(ref));
  return item && { ref, state: readEventDelivery(item.data), version: item.version };
}

/**
 * Changes the state of a delivery, and its entry in the list of open or failed deliveries, in one batch. Without a next
 * state, the delivery has succeeded, and nothing of it is kept.
 * @returns whether the delivery was changed; if not, it has changed since it was read
 */
export async function changeEventDelivery(
  store: ItemStore,
  { ref, state, version }: StoredEventDelivery,
  next: EventDeliveryState | undefined,
): Promise<boolean> {
  const key = eventDeliveryKey(ref);
  const before = listKey(ref, state);
  const after = next && listKey(ref, next);
  const expiry = next?.kind === 'failed' ? { expiresAtMs: next.endedAtMs + FAILED_MS } : {};
  // The URL of a receiver must not stay in the files of the store.
  const change: Write = next
    ? { kind: 'replace', key, version, data: next, ...expiry }
    : { kind: 'remove', key, version, erase: true };
  const writes: Write[] = [change];
  if (before.sort !== after?.sort) {
    // The entry of a list is never replaced, so its version is always 1.
    writes.push({ kind: 'remove', key: before, version: 1 });
    if (after) writes.push({ kind: 'insert', key: after, data: {}, ...expiry });
  }
  return (await store.commit({ writes })).ok;
}

function listKey(ref: EventDeliveryRef, state: EventDeliveryState): Key {
  return state.kind === 'open' ? OPEN_EVENTS.keyOf(ref, state.dueMs) : failedEventKey(ref, state.endedAtMs);
}

/** A delivery that Segue no longer attempts, with its failure. */
export type FailedEvent = EventDeliveryRef & FailedEventDelivery;

/** The methods that list and resend failed deliveries. */
export type FailedEvents = ReturnType<typeof failedEventsIn>;

/** Lists and resends the failed deliveries in a store. @param now returns the time, in milliseconds since 1970 */
export function failedEventsIn(store: ListedStore, now: () => number) {
  return {
    /** Lists the failed deliveries of a company, or of all companies, the newest first. */
    async *list(companyId?: string): AsyncGenerator<FailedEvent> {
      for await (const { sort, expiresAtMs = 0 } of eachItem(store, FAILED_EVENTS, '')) {
        if (expiresAtMs <= now()) return;
        const found = await readDelivery(store, readFailedEventKey(sort));
        if (found?.state.kind !== 'failed') continue;
        if (companyId === undefined || found.state.companyId === companyId) yield { ...found.ref, ...found.state };
      }
    },
    /**
     * Opens a failed delivery for new attempts, as if its event had just been recorded.
     * @returns `false` if the delivery has not failed, or its record has expired
     * @throws {Problem} `unavailable` if another caller has changed it meanwhile
     */
    async resend({ companyId, receiver, project, sequence }: EventDeliveryRef): Promise<boolean> {
      const found = await readDelivery(store, { companyId, receiver, project, sequence });
      if (found?.state.kind !== 'failed') return false;
      const { endedAtMs: _, ...failed } = found.state;
      const again = { attempts: 0, openedAtMs: now(), dueMs: now(), isSending: false };
      const next = { ...failed, kind: 'open', ...again } as const;
      if (await changeEventDelivery(store, found, next)) return true;
      throw new Problem('unavailable', {
        detail: 'Another command changed this delivery at the same time. List the failed deliveries again.',
      });
    },
  };
}
