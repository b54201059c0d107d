import { setImmediate } from 'node:timers/promises';
import { eachItem } from '../records/each.ts';
import type { Deadline } from '../service/deadline.ts';
import type { ListedStore } from '../storage/port.ts';
import { type Attempted, attempt, type Workshop } from './attempt.ts';
import { inTurns } from './in-turns.ts';
import { type DeliveryRef, LETTERS, openPartition, readMark, SHARDS } from './records.ts';

/** What a run came to: how many deliveries ended in which way, and what is left. */
export interface Worked {
  readonly done: number;
  readonly postponed: number;
  readonly dead: number;
  /** What is due and was not worked on, for lack of time or since the store failed. */
  readonly left: number;
  /** For how long, in milliseconds, the oldest of that has been due. */
  readonly oldestMs: number;
  /** How many dead letters there are, up to a thousand. */
  readonly letters: number;
}

export interface WorkOptions extends Workshop {
  readonly store: ListedStore;
  /** Told of each attempt that failed. */
  readonly onFailure?: (ref: DeliveryRef, attempted: Attempted) => void;
}

/** Works on deliveries. */
export interface DeliveryWork {
  /**
   * Works on those that have just come. What there is no time for is found by the next run.
   * @returns those that could not be asked for
   */
  these(refs: readonly DeliveryRef[], deadline: Deadline): Promise<readonly DeliveryRef[]>;
  /** Works on all that are due. @throws {Problem} where they cannot be listed */
  due(deadline: Deadline): Promise<Worked>;
}

/** How many are worked on at once, and how many of them of one source: a bad mapping holds up its own source alone. */
const AT_ONCE = 8;
const OF_A_SOURCE = 2;
/** No attempt is begun with less time than a mapping and a service take together. */
const LEAST_MS = 12_000;

const MOST_LETTERS = 1_000;

export function deliveryWork({ onFailure = () => {}, ...workshop }: WorkOptions): DeliveryWork {
  const { store, now } = workshop;

  async function workOn<T extends DeliveryRef>(refs: readonly T[], deadline: Deadline) {
    const counts = { done: 0, postponed: 0, dead: 0, 'passed-over': 0 };
    const failed: T[] = [];
    const left = await inTurns(refs, {
      atOnce: AT_ONCE,
      ofAGroup: OF_A_SOURCE,
      groupOf: ({ source }) => source,
      isTimeLeft: () => deadline.remainingMs() > LEAST_MS,
      async work(ref) {
        try {
          const attempted = await attempt(workshop, ref, deadline);
          counts[attempted.end]++;
          if (attempted.error !== undefined) onFailure(ref, attempted);
        } catch (error) {
          failed.push(ref);
          onFailure(ref, { end: 'passed-over', error });
        }
        // a store in this process answers at once: others have their turn
        await setImmediate();
      },
    });
    return { counts, failed, left };
  }

  return {
    these: async (refs, deadline) => (await workOn(refs, deadline)).failed,
    async due(deadline) {
      const marks = await dueBy(store, now());
      const { counts, failed, left } = await workOn(marks, deadline);
      const over = [...failed, ...left];
      const oldest = Math.min(...over.map(({ dueMs }) => dueMs));
      const { done, postponed, dead } = counts;
      return {
        done,
        postponed,
        dead,
        left: over.length,
        oldestMs: over.length === 0 ? 0 : now() - oldest,
        letters: await count(store, LETTERS, MOST_LETTERS),
      };
    },
  };
}

/** At most so many are worked on in one run: the rest is found by the next. */
const MOST_AT_A_RUN = 5_000;

/** What is due, in each shard the first to be due first. */
async function dueBy(store: ListedStore, nowMs: number) {
  const shards = await Promise.all(
    Array.from({ length: SHARDS }, async (_, shard) => {
      const due: ReturnType<typeof readMark>[] = [];
      for await (const { sort } of eachItem(store, openPartition(shard), '')) {
        const mark = readMark(sort);
        if (mark.dueMs > nowMs || due.length * SHARDS >= MOST_AT_A_RUN) break;
        due.push(mark);
      }
      return due;
    }),
  );
  return shards.flat().sort((one, other) => one.dueMs - other.dueMs);
}

async function count(store: ListedStore, partition: string, most: number): Promise<number> {
  let found = 0;
  for await (const _ of eachItem(store, partition, '')) if (++found === most) break;
  return found;
}
