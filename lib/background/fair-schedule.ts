import { setTimeout } from 'node:timers/promises';

/** The limits of `runFairly`, and how it runs an item. */
export interface FairSchedule<T> {
  /** How many items may run at once. */
  readonly maxRunning: number;
  /** How many items of one group may run at once. */
  readonly maxRunningOfGroup: number;
  /** Returns the name of an item's group. */
  readonly groupOf: (item: T) => string;
  /** Returns the name of a lock. Items with the same lock never run at the same time. By default, there are no locks. */
  readonly lockOf?: ((item: T) => string) | undefined;
  /** Returns whether another item may start. */
  readonly isTimeLeft: () => boolean;
  /** Lists the due items that have not started. Without this function, only the items passed to `runFairly` run. */
  readonly refresh?: () => Promise<readonly T[]>;
  /** Runs an item. The promise must never reject. */
  readonly run: (item: T) => Promise<void>;
}

/** The pause between two listings of the due items, in milliseconds. */
const REFRESH_MS = 500;

/**
 * Runs items at the same time, and starts those of a group in order. The next item comes from the group with the fewest
 * running items, so that a slow or large group does not delay the others.
 * @returns the items that did not start before the time ran out
 */
export async function runFairly<T>(items: readonly T[], schedule: FairSchedule<T>): Promise<readonly T[]> {
  const { maxRunning, maxRunningOfGroup, groupOf, lockOf, isTimeLeft, refresh = async () => waiting, run } = schedule;
  let waiting = [...items];
  const runningOfGroup = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const locks = new Set<string>();

  const start = (item: T) => {
    const group = groupOf(item);
    const lock = lockOf?.(item);
    runningOfGroup.set(group, (runningOfGroup.get(group) ?? 0) + 1);
    if (lock !== undefined) locks.add(lock);
    const promise = run(item).finally(() => {
      if (lock !== undefined) locks.delete(lock);
      runningOfGroup.set(group, (runningOfGroup.get(group) ?? 1) - 1);
      running.delete(promise);
    });
    running.add(promise);
  };
  const isFree = (item: T) => lockOf === undefined || !locks.has(lockOf(item));
  const nextIndex = () => {
    for (let fewest = 0; fewest < maxRunningOfGroup && running.size < maxRunning; fewest++) {
      const index = waiting.findIndex((item) => (runningOfGroup.get(groupOf(item)) ?? 0) === fewest && isFree(item));
      if (index !== -1) return index;
    }
    return -1;
  };

  let hasStarted = false;
  let isRefreshDue = false;
  const startPause = async () => {
    isRefreshDue = false;
    await setTimeout(REFRESH_MS, undefined, { ref: false });
    isRefreshDue = true;
  };
  let pause = startPause();
  try {
    while (isTimeLeft()) {
      const next = nextIndex();
      if (next !== -1) {
        waiting.splice(next, 1).forEach(start);
        hasStarted = true;
      } else if (isRefreshDue || (waiting.length === 0 && hasStarted)) {
        waiting = [...(await refresh())];
        hasStarted = false;
        if (isRefreshDue) pause = startPause();
      } else if (running.size === 0) break;
      else await Promise.race([...running, pause]);
    }
  } finally {
    await Promise.all(running);
  }
  return waiting;
}
