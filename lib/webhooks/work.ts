import { setImmediate } from 'node:timers/promises';
import type { Deadline } from '../service/deadline.ts';
import type { ListedStore } from '../storage/port.ts';
import { eachItem } from '../storage/port.ts';
import { type Attempted, attempt, type Workshop } from './attempt.ts';
import { inTurns } from './in-turns.ts';
import { type DeliveryRef, LETTERS, markKey, openPartition, readMark, SHARDS } from './records.ts';

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

/** How what comes during a run has its part in it. */
interface Again<T> {
  /** Gives what is due by now and was not begun. */
  readonly lookAgain?: () => Promise<readonly T[]>;
  readonly onBegin?: (item: T) => void;
}

export function deliveryWork({ onFailure = () => {}, ...workshop }: WorkOptions): DeliveryWork {
  const { store, now } = workshop;

  async function workOn<T extends DeliveryRef>(
    refs: readonly T[],
    deadline: Deadline,
    { lookAgain, onBegin = () => {} }: Again<T> = {},
  ) {
    const counts = { done: 0, postponed: 0, dead: 0, 'passed-over': 0 };
    const failed: T[] = [];
    const left = await inTurns(refs, {
      atOnce: AT_ONCE,
      ofAGroup: OF_A_SOURCE,
      groupOf: ({ source }) => source,
      isTimeLeft: () => deadline.remainingMs() > LEAST_MS,
      ...(lookAgain && { lookAgain }),
      async work(ref) {
        onBegin(ref);
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
      const begun = new Set<string>();
      const look = () => dueBy(store, now(), begun);
      const { counts, failed, left } = await workOn(await look(), deadline, {
        lookAgain: look,
        onBegin: (mark) => begun.add(textOf(mark)),
      });
      const over = [...failed, ...left];
      const oldest = Math.min(...over.map(({ dueMs }) => dueMs));
      const { done, postponed, dead } = counts;
      return {
        done,
        postponed,
        dead,
        left: over.length,
        oldestMs: over.length === 0 ? 0 : now() - oldest,
        letters: await countLetters(store, now()),
      };
    },
  };
}

type Mark = ReturnType<typeof readMark>;

/**
 * What one look takes and sees at most: the rest is found by the next. It sees more than it takes, so that what one
 * source has does not hide what others have.
 */
const A_LOOK = { takes: 5_000, ofASource: 1_000, sees: 20_000 } as const;

/** What is due and was not begun, in each shard the first to be due first. */
async function dueBy(store: ListedStore, nowMs: number, begun: ReadonlySet<string>): Promise<Mark[]> {
  const shards = await Promise.all(
    Array.from({ length: SHARDS }, async (_, shard) => {
      const due: Mark[] = [];
      const ofSources = new Map<string, number>();
      let seen = 0;
      for await (const { sort } of eachItem(store, openPartition(shard), '')) {
        const mark = readMark(sort);
        if (mark.dueMs > nowMs || due.length * SHARDS >= A_LOOK.takes || seen++ * SHARDS >= A_LOOK.sees) break;
        const ofSource = ofSources.get(mark.source) ?? 0;
        if (ofSource * SHARDS >= A_LOOK.ofASource || begun.has(textOf(mark))) continue;
        ofSources.set(mark.source, ofSource + 1);
        due.push(mark);
      }
      return due;
    }),
  );
  return shards.flat().sort((one, other) => one.dueMs - other.dueMs);
}

/** A delivery that is due again is another one here. */
function textOf(mark: Mark): string {
  return markKey(mark, mark.dueMs).sort;
}

/** What has expired may be there for a while, after those that have not. */
async function countLetters(store: ListedStore, nowMs: number): Promise<number> {
  let found = 0;
  for await (const { expiresAtMs = 0 } of eachItem(store, LETTERS, '')) {
    if (expiresAtMs <= nowMs || ++found === MOST_LETTERS) break;
  }
  return found;
}
