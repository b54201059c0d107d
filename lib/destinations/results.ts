import { deliveriesIn, openedAt, type StoredDelivery } from '../deliveries/queue.ts';
import { eachItem, type ListedStore } from '../storage/port.ts';
import {
  type DeadResult,
  keptOf,
  type OpenResult,
  RESULT_DELIVERIES,
  type ResultRef,
  type ResultState,
} from './deliveries.ts';

/** Selects deliveries by company or by the id of their destination. A field that is left out matches all of them. */
export interface ResultFilter {
  readonly companyId?: string | undefined;
  readonly destination?: string | undefined;
}

/** A delivery to a destination that Segue no longer attempts, with its failure. */
export type FailedResult = ResultRef & DeadResult;

/** The methods that list and redrive deliveries to destinations. */
export type Results = ReturnType<typeof resultsIn>;

/** Lists and redrives the deliveries to destinations in a store. @param now returns the time, in milliseconds since 1970 */
export function resultsIn(store: ListedStore, now: () => number) {
  const queue = deliveriesIn(RESULT_DELIVERIES, store, now);

  function endRemoved(open: StoredDelivery<ResultRef, OpenResult>) {
    const next = { ...keptOf(open.state), kind: 'done', endedAtMs: now(), end: 'destination-removed' } as const;
    return queue.change(open, next);
  }

  return {
    /** Returns the state of any delivery; `undefined` if there is none, or it ended more than 14 days ago. */
    delivery: async (ref: ResultRef): Promise<ResultState | undefined> => (await queue.read(ref))?.state,
    /** Lists the dead letters, the newest first. */
    list: (filter: ResultFilter): AsyncGenerator<FailedResult> => queue.letters((ref) => isWanted(ref, filter)),
    /** Lists the open deliveries, in no particular order. */
    async *listOpen(filter: ResultFilter): AsyncGenerator<ResultRef & OpenResult> {
      const { list } = RESULT_DELIVERIES;
      const prefix = filter.companyId === undefined ? '' : list.prefixOf(filter.companyId);
      for (const partition of list.partitions()) {
        for await (const key of eachItem(store, partition, prefix)) {
          const due = list.entryAt(key);
          if (!due || !isWanted(due, filter)) continue;
          const { dueMs: _, ...ref } = due;
          const open = await queue.readIn('open', ref);
          if (open) yield { ...ref, ...open.state };
        }
      }
    },
    /**
     * Ends the deliveries to a removed destination that are being sent. Their attempts send no further request, and
     * remember nothing of the translations. The other open deliveries end at their next attempt, which sends nothing.
     */
    async endSending(filter: Required<ResultFilter>): Promise<void> {
      for await (const ref of this.listOpen(filter)) {
        let isEnded = false;
        while (!isEnded) {
          const open = await queue.readIn('open', ref);
          isEnded = !open?.state.isSending || (await endRemoved(open)) !== undefined;
        }
      }
    },
    /**
     * Opens a dead letter for new attempts, as if its event had just been recorded. They send what the translations are
     * then.
     * @returns `false` if this is no dead letter
     * @throws {Problem} `unavailable` if another caller has changed it meanwhile
     */
    async redrive(ref: ResultRef): Promise<boolean> {
      const letter = await queue.readIn('dead', ref);
      if (!letter) return false;
      await queue.changeLetter(letter, { ...keptOf(letter.state), ...openedAt(now()), isSending: false });
      return true;
    },
  };
}

function isWanted(ref: ResultRef, { companyId = ref.companyId, destination = ref.destination }: ResultFilter): boolean {
  return ref.companyId === companyId && ref.destination === destination;
}
