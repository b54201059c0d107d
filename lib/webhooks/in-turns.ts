import { setTimeout } from 'node:timers/promises';

/** How many things are done side by side, and for how long. */
export interface Turns<T> {
  readonly atOnce: number;
  /** How many of one group at once. */
  readonly ofAGroup: number;
  readonly groupOf: (item: T) => string;
  /** Asked before each; none is begun any more once it says no. */
  readonly isTimeLeft: () => boolean;
  /** Gives what is to be done by now in place of what waits, without what was begun. Unless given, what waits is all. */
  readonly lookAgain?: () => Promise<readonly T[]>;
  /** Never rejects. */
  readonly work: (item: T) => Promise<void>;
}

/** How long what has come meanwhile may be overlooked, in milliseconds. */
const LOOK_MS = 500;

/**
 * Does something with each item, side by side and in order within each group. A group that is slow, or has many, leaves
 * room to the others: whichever has the fewest in work is next.
 * @returns those for which there was no time
 */
export async function inTurns<T>(items: readonly T[], turns: Turns<T>): Promise<readonly T[]> {
  const { atOnce, ofAGroup, groupOf, isTimeLeft, lookAgain = async () => waiting, work } = turns;
  let waiting = [...items];
  const busy = new Map<string, number>();
  const running = new Set<Promise<void>>();

  const begin = (item: T) => {
    const group = groupOf(item);
    busy.set(group, (busy.get(group) ?? 0) + 1);
    const run = work(item).finally(() => {
      busy.set(group, (busy.get(group) ?? 1) - 1);
      running.delete(run);
    });
    running.add(run);
  };
  const nextIndex = () => {
    for (let fewest = 0; fewest < ofAGroup && running.size < atOnce; fewest++) {
      const index = waiting.findIndex((item) => (busy.get(groupOf(item)) ?? 0) === fewest);
      if (index !== -1) return index;
    }
    return -1;
  };

  let hasBegun = false;
  let isPauseOver = false;
  const startPause = async () => {
    isPauseOver = false;
    await setTimeout(LOOK_MS, undefined, { ref: false });
    isPauseOver = true;
  };
  let pause = startPause();
  try {
    while (isTimeLeft()) {
      const next = nextIndex();
      if (next !== -1) {
        waiting.splice(next, 1).forEach(begin);
        hasBegun = true;
      } else if (isPauseOver || (waiting.length === 0 && hasBegun)) {
        waiting = [...(await lookAgain())];
        hasBegun = false;
        if (isPauseOver) pause = startPause();
      } else if (running.size === 0) break;
      else await Promise.race([...running, pause]);
    }
  } finally {
    await Promise.all(running);
  }
  return waiting;
}
