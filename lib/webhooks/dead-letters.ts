import { Problem } from '../contract/problem.ts';
import { eachItem, type Item, type ItemReader, type ListedStore, type Write } from '../storage/port.ts';
import { changedSince } from './changed-projects.ts';
import { changeDelivery, eraseMessage, isLive, readDelivery, type StoredDelivery } from './deliveries.ts';
import {
  type CommandRecord,
  commonOf,
  DEAD_LETTERS,
  type DeadState,
  type DeliveryRef,
  type DeliveryState,
  messageKey,
  OPEN_DELIVERIES,
  type OpenState,
  readDeadLetterKey,
  readMessage,
} from './delivery-records.ts';

/** A delivery that Segue no longer attempts, with its failure. */
export type DeadLetter = DeliveryRef & DeadState;

/** Selects the dead letters or open deliveries to list. A field that is left out matches all of them. */
export interface DeadLetterFilter {
  readonly companyId?: string | undefined;
  readonly source?: string | undefined;
}

/** The methods that list and change dead letters. */
export type DeadLetters = ReturnType<typeof deadLettersIn>;

/**
 * Lists and changes the dead letters in a store.
 * @param now returns the time, in milliseconds since 1970
 * @param projects the store of the projects, if it is another one
 */
export function deadLettersIn(store: ListedStore, now: () => number, projects: ItemReader = store) {
  async function liveMessage(ref: DeliveryRef): Promise<Item | undefined> {
    const item = await store.read(messageKey(ref));
    return item && isLive(item, now()) ? item : undefined;
  }

  async function readDead(ref: DeliveryRef): Promise<StoredDelivery<DeadState> | undefined> {
    const found = await readDelivery(store, ref, now());
    return found?.state.kind === 'dead' ? { ...found, state: found.state } : undefined;
  }

  /** Changes the state of a dead letter. @throws {Problem} `unavailable` if another caller has changed it meanwhile */
  async function change(letter: StoredDelivery<DeadState>, next: DeliveryState, message: readonly Write[]) {
    if (await changeDelivery(store, letter, next, message)) return;
    throw new Problem('unavailable', {
      detail: 'Another command changed this dead letter at the same time. List the dead letters before you try again.',
    });
  }

  return {
    /** Returns the state of any delivery; `undefined` if its id is unknown. */
    delivery: async (ref: DeliveryRef) => (await readDelivery(store, ref, now()))?.state,
    /** Returns what happened to the projects of a dead letter after its message was received. */
    changedSince: (state: DeadState) => changedSince(projects, state, now),
    /** Lists dead letters, the newest first. */
    async *list({ companyId, source }: DeadLetterFilter): AsyncGenerator<DeadLetter> {
      for await (const { sort } of eachItem(store, DEAD_LETTERS, '')) {
        const ref = readDeadLetterKey(sort);
        if (source !== undefined && ref.source !== source) continue;
        const found = await readDead(ref);
        if (!found || (companyId !== undefined && found.state.companyId !== companyId)) continue;
        yield { ...ref, ...found.state };
      }
    },
    /** Lists open deliveries, in no particular order. */
    async *listOpen({ companyId, source }: DeadLetterFilter): AsyncGenerator<DeliveryRef & OpenState> {
      for (const partition of OPEN_DELIVERIES.partitions()) {
        for await (const key of eachItem(store, partition, '')) {
          const ref = OPEN_DELIVERIES.entryAt(key);
          if (!ref || (source !== undefined && ref.source !== source)) continue;
          const state = (await readDelivery(store, ref, now()))?.state;
          if (state?.kind !== 'open' || (companyId !== undefined && state.companyId !== companyId)) continue;
          yield { ...ref, ...state };
        }
      }
    },
    /** Returns the message of a delivery; `undefined` if the message was erased or has expired. */
    async message(ref: DeliveryRef) {
      const item = await liveMessage(ref);
      return item && readMessage(item.data);
    },
    /**
     * Opens a dead letter for new attempts, as if its message had just been received.
     * @returns `false` if this is no dead letter, or its message is gone
     */
    async redrive(ref: DeliveryRef): Promise<boolean> {
      const letter = await readDead(ref);
      const message = await liveMessage(ref);
      if (!letter || !message) return false;
      const commands = letter.state.commands?.map(reopened);
      const opened = { attempts: 0, openedAtMs: now(), dueMs: now(), ...(commands && { commands }) };
      // The store refuses the change if the message was erased meanwhile.
      const hasMessage: Write = { kind: 'check', key: messageKey(ref), version: message.version };
      await change(letter, { ...commonOf(letter.state), kind: 'open', ...opened }, [hasMessage]);
      return true;
    },
    /** Erases the message of a dead letter. The delivery's id stays known, so a repeated message is not processed. */
    async drop(ref: DeliveryRef): Promise<void> {
      const letter = await readDead(ref);
      if (!letter) return;
      const message = await store.read(messageKey(ref));
      const erased = message ? [eraseMessage(ref, message.version)] : [];
      await change(letter, { ...commonOf(letter.state), kind: 'dropped', endedAtMs: now() }, erased);
    },
  };
}

/** Returns the record of a command that may run again. It keeps the problem for which it was refused until it runs. */
function reopened(record: CommandRecord): CommandRecord {
  return record.state === 'refused' ? { ...record, state: 'waiting' } : record;
}
