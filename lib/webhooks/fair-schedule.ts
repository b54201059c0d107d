import { setTimeout } from 'node:timers/promises';

/** What to run side by side, and for how long. */
export interface FairSchedule<T> {
  readonly maxRunning: number;
  readonly maxRunningOfGroup: number;
  readonly groupOf: (item: T) => string;
  /** No item starts once this is false. */
  readonly isTimeLeft: () => boolean;
  /** Lists the due items, without those that have started. Without it, only the first items run. */
  readonly refresh?: () => Promise<readonly T[]>;
  /** Never rejects. */
  readonly run: (item: T) => Promise<void>;
}

/** How often the due items are listed again, in milliseconds. */
const REFRESH_MS = 500;

/**
 * Runs items side by side, in order within each group. The group with the fewest running items is next, so that a group that
 * is slow or large does not hold up the others.
 * @returns the items that did not start
 */
export async function runFairly<T>(items: readonly T[], schedule: FairSchedule<T>): Promise<readonly T[]> {
  const { maxRunning, maxRunningOfGroup, groupOf, isTimeLeft, refresh = async () => waiting, run } = schedule;
  let waiting = [...items];
  const runningOfGroup = new Map<string, number>();
  const running = new Set<Promise<void>>();

  const start = (item: T) => {
    const group = groupOf(item);
    runningOfGroup.set(group, (runningOfGroup.get(group) ?? 0) + 1);
    const promise = run(item).finally(() => {
      runningOfGroup.set(group, (runningOfGroup.get(group) ?? 1) - 1);
      running.delete(promise);
    });
    running.add(promise);
  };
  const nextIndex = () => {
    for (let fewest = 0; fewest < maxRunningOfGroup && running.size < maxRunning; fewest++) {
      const index = waiting.findIndex((item) => (runningOfGroup.get(groupOf(item)) ?? 0) === fewest);
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
