import { deadlineAt } from '../service/deadline.ts';
import type { ListedStore } from '../storage/port.ts';
import { type BackgroundFunction, hasRecords } from './background-function.ts';

/** The partition of heartbeats. The stream passes its new items to `publishEvents`, like events. */
export const HEARTBEATS = 'heartbeats';

/** How long an item may stay, in milliseconds. Nothing reads it. */
const KEPT_MS = 3_600_000;
/** How long a commit may take, in milliseconds. */
const COMMIT_MS = 3_000;

/**
 * Adds a heartbeat to each scheduled run of a function: a new item in a table with a stream. So the function of the
 * stream runs every few minutes also if no project changes, and an alarm can notice that it does not.
 */
export function withHeartbeat<Result>(
  run: BackgroundFunction<Result>,
  store: () => Pick<ListedStore, 'commit'>,
  now: () => number,
): BackgroundFunction<Result> {
  return async (event, context) => {
    if (!hasRecords(event)) {
      const key = { partition: HEARTBEATS, sort: String(now()) };
      const write = { kind: 'insert', key, data: null, expiresAtMs: now() + KEPT_MS } as const;
      // A heartbeat that fails is missing, which is what the alarm notices.
      await store()
        .commit({ writes: [write], deadline: deadlineAt(now() + COMMIT_MS, now) })
        .catch(() => undefined);
    }
    return run(event, context);
  };
}
