import { deliveriesIn, isLive, openedAt } from '../deliveries/queue.ts';
import { eachItem, type Item, type ItemReader, type ListedStore, type Write } from '../storage/port.ts';
import { changedSince } from './changed-projects.ts';
import { DELIVERIES } from './delivery-queue.ts';
import {
  type CommandRecord,
  commonOf,
  type DeadState,
  type DeliveryRef,
  eraseMessage,
  messageKey,
  type OpenDeliveryRef,
  type OpenState,
  readMessage,
} from './delivery-records.ts';
import { eraseFetched, readFetched } from './fetched-entry.ts';
import { mayHaveRun } from './run-commands.ts';

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

  const queue = deliveriesIn(DELIVERIES, store, now);

  return {
    /** Returns the state of any delivery; `undefined` if its id is unknown. */
    delivery: async (ref: DeliveryRef) => (await queue.read(ref))?.state,
    /** Returns what happened to the projects of a dead letter after its message was received. */
    changedSince: (state: DeadState) => changedSince(projects, state, now),
    /** Lists dead letters, the newest first. */
    list: (filter: DeadLetterFilter): AsyncGenerator<DeadLetter> => queue.letters((ref) => isWanted(ref, filter)),
    /** Lists open deliveries, in no particular order. */
    async *listOpen(filter: DeadLetterFilter): AsyncGenerator<DeliveryRef & OpenState> {
      for (const partition of DELIVERIES.list.partitions()) {
        for await (const key of eachItem(store, partition, '')) {
          const ref = DELIVERIES.list.entryAt(key);
          if (!ref || !isWanted(ref, filter)) continue;
          const open = await queue.readIn('open', ref);
          if (open) yield { source: ref.source, id: ref.id, ...open.state };
        }
      }
    },
    /** Returns the message of a delivery; `undefined` if the message was erased or has expired. */
    async message(ref: DeliveryRef) {
      const item = await liveMessage(ref);
      return item && readMessage(item.data);
    },
    /** Returns what was fetched for a delivery, as JSON; `undefined` if nothing is stored. */
    async fetched(ref: DeliveryRef): Promise<string | undefined> {
      const state = (await queue.read(ref))?.state;
      return state?.kind === 'open' || state?.kind === 'dead' ? readFetched(store, ref, state) : undefined;
    },
    /**
     * Opens a dead letter for new attempts, as if its message had just been received. The next attempt fetches the entry of
     * the message again. If a command of the message may have run, it uses the stored entry, so that the command stays the
     * same.
     * @returns `false` if this is no dead letter, or its message is gone
     */
    async redrive(ref: DeliveryRef): Promise<boolean> {
      const letter = await queue.readIn('dead', ref);
      const message = await liveMessage(ref);
      if (!letter || !message) return false;
      const commands = letter.state.commands?.map(reopened);
      const { fetched } = letter.state;
      const isWhole = fetched?.isWhole === true && commands?.some(mayHaveRun) === true;
      // The store refuses the change if the message was erased meanwhile.
      const hasMessage: Write = { kind: 'check', key: messageKey(ref), version: message.version };
      const next = {
        ...commonOf(letter.state),
        ...openedAt(now()),
        ...(commands && { commands }),
        ...(fetched && { fetched: { ...fetched, isWhole } }),
      };
      await queue.changeLetter(letter, next, [hasMessage]);
      return true;
    },
    /** Erases the message of a dead letter. The delivery's id stays known, so a repeated message is not processed. */
    async drop(ref: DeliveryRef): Promise<void> {
      const letter = await queue.readIn('dead', ref);
      if (!letter) return;
      const message = await store.read(messageKey(ref));
      const erased = message ? [eraseMessage(ref, message.version)] : [];
      const next = { ...commonOf(letter.state), kind: 'dropped', endedAtMs: now() } as const;
      // What was fetched expires with the message. The store may have removed what has expired.
      const left = message && isLive(message, now()) ? await eraseFetched(queue, letter) : undefined;
      await queue.changeLetter(left?.delivery ?? letter, next, [...erased, ...(left?.writes ?? [])]);
    },
  };
}

function isWanted(ref: OpenDeliveryRef, { companyId = ref.companyId, source = ref.source }: DeadLetterFilter): boolean {
  return ref.companyId === companyId && ref.source === source;
}

/** Returns the record of a command that may run again. It keeps the problem for which it was refused until it runs. */
function reopened(record: CommandRecord): CommandRecord {
  return record.state === 'refused' ? { ...record, state: 'waiting' } : record;
}
