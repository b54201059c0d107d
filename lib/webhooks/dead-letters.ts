import { Problem } from '../contract/problem.ts';
import { eachItem, type Item, type Key, type ListedStore, type Write } from '../storage/port.ts';
import { dropWrites, redriveWrites, type StoredDelivery } from './delivery-changes.ts';
import {
  DEAD_LETTERS,
  type DeadState,
  type DeliveryRef,
  type DeliveryState,
  messageKey,
  readDeadLetterKey,
  readMessage,
  readState,
  stateKey,
} from './delivery-records.ts';

/** A delivery that failed for good, and why. */
export type DeadLetter = DeliveryRef & DeadState;

/** Which dead letters to list. */
export interface DeadLetterFilter {
  readonly companyId?: string | undefined;
  readonly source?: string | undefined;
}

export interface DeadLetters {
  /** The state of any delivery; `undefined` if its id is unknown. */
  delivery(ref: DeliveryRef): Promise<DeliveryState | undefined>;
  /** Lists dead letters, the last first. */
  list(filter: DeadLetterFilter): AsyncGenerator<DeadLetter>;
  /** The message of a delivery; `undefined` if it was erased or has expired. */
  message(ref: DeliveryRef): Promise<ReturnType<typeof readMessage> | undefined>;
  /** Opens a dead letter as if it had just been received. @returns `false` if its message is gone */
  redrive(letter: DeliveryRef): Promise<boolean>;
  /** Erases a dead letter's message. Its id stays known. */
  drop(letter: DeliveryRef): Promise<void>;
}

/** The dead letters in a store. @param now milliseconds since 1970 */
export function deadLettersIn(store: ListedStore, now: () => number): DeadLetters {
  /** Open deliveries do not expire. */
  async function readLive(key: Key): Promise<Item | undefined> {
    const item = await store.read(key);
    return item && (item.expiresAtMs ?? Number.POSITIVE_INFINITY) > now() ? item : undefined;
  }

  async function readDead(ref: DeliveryRef): Promise<StoredDelivery<DeadState> | undefined> {
    const item = await readLive(stateKey(ref));
    const state = item && readState(item.data);
    return state?.kind === 'dead' ? { ref, state, version: item?.version ?? 0 } : undefined;
  }

  /** @throws {Problem} `unavailable` if the dead letter was changed meanwhile */
  async function change(writes: readonly Write[]): Promise<void> {
    if ((await store.commit({ writes })).ok) return;
    throw new Problem('unavailable', { detail: 'This dead letter has changed in the meantime. Read it again.' });
  }

  return {
    async delivery(ref) {
      const item = await readLive(stateKey(ref));
      return item && readState(item.data);
    },
    async *list({ companyId, source }) {
      for await (const { sort } of eachItem(store, DEAD_LETTERS, '')) {
        const ref = readDeadLetterKey(sort);
        if (source !== undefined && ref.source !== source) continue;
        const found = await readDead(ref);
        if (!found || (companyId !== undefined && found.state.companyId !== companyId)) continue;
        yield { ...ref, ...found.state };
      }
    },
    async message(ref) {
      const item = await readLive(messageKey(ref));
      return item && readMessage(item.data);
    },
    async redrive({ source, id }) {
      const found = await readDead({ source, id });
      const message = await readLive(messageKey({ source, id }));
      if (!found || !message) return false;
      await change(redriveWrites(found, message.version, now()));
      return true;
    },
    async drop({ source, id }) {
      const found = await readDead({ source, id });
      if (found) await change(dropWrites(found, (await store.read(messageKey(found.ref)))?.version, now()));
    },
  };
}
