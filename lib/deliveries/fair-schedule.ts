import { setTimeout } from 'node:timers/promises';
import { shareTurns } from '../service/turn.ts';
import { FairQueue, type FairShares } from './fair-queue.ts';

/** The limits of `runFairly`, and how it runs an item. */
export interface FairSchedule<T> extends FairShares<T> {
  /** How many items may run at once. */
  readonly maxRunning: number;
  /** Returns whether another item may start. */
  readonly isTimeLeft: () => boolean;
  /** Lists the due items that have not started. Without this function, only the items passed to `runFairly` run. */
  readonly refresh?: () => Promise<readonly T[]>;
  /** Waits for a number of milliseconds. By default, by a timer that does not keep the process alive. */
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
  /** Runs an item. The promise must never reject. */
  readonly run: (item: T) => Promise<void>;
}

/** The pause between two listings of the due items, in milliseconds. */
const REFRESH_MS = 500;

const byTimer = (ms: number) => setTimeout(ms, undefined, { ref: false });

/** Runs items at the same time, in the order of a `FairQueue`, so that no company and no group delays the others. */
export async function runFairly<T>(items: readonly T[], schedule: FairSchedule<T>): Promise<void> {
  const { maxRunning, isTimeLeft, refresh, pause: wait = byTimer, run } = schedule;
  const running = new Map<T, Promise<void>>();
  let queue = new FairQueue(schedule, items, []);

  const start = (item: T) => {
    const [companyId = ''] = schedule.pathOf(item);
    const promise = shareTurns(companyId, () => run(item)).finally(() => {
      running.delete(item);
      queue.end(item);
    });
    running.set(item, promise);
  };

  let hasStarted = false;
  let isRefreshDue = false;
  const startPause = async () => {
    isRefreshDue = false;
    await wait(REFRESH_MS);
    isRefreshDue = true;
  };
  let pause = startPause();
  try {
    while (isTimeLeft()) {
      const next = queue.start(maxRunning - running.size);
      if (next !== undefined) {
        start(next);
        hasStarted = true;
      } else if (refresh && (isRefreshDue || (queue.waiting.size === 0 && hasStarted))) {
        const listed = await refresh();
        queue = new FairQueue(schedule, listed, running.keys());
        hasStarted = false;
        if (isRefreshDue) pause = startPause();
      } else if (running.size === 0) break;
      else await Promise.race(refresh ? [...running.values(), pause] : running.values());
    }
  } finally {
    await Promise.all(running.values());
  }
}
