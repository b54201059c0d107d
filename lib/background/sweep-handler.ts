import type { AlertCode } from '../contract/alerts.ts';
import {
  type BackgroundContext,
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  hasRecords,
  runDeadline,
  type StreamResult,
} from './background-function.ts';
import { alertIfLate, type InsertedItem, insertedIn, streamResult } from './stream.ts';

/** Deletes payload objects that no item uses, such as those of deleted projects. It may be stopped at any point. */
export interface Sweep {
  /**
   * Deletes all objects that are due for deletion.
   * @param isTimeLeft called before each object; if it returns `false`, no more objects are deleted
   */
  all(isTimeLeft: () => boolean): Promise<Swept>;
  /** Deletes one object that is marked for deletion, if it is due. @returns whether the work on this object is done */
  one(object: string): Promise<boolean>;
}

/** The counts of a sweep, and the error of the first object that could not be deleted. */
interface Swept {
  readonly removed: number;
  readonly left: number;
  readonly oldestMs: number;
  readonly failure?: unknown;
}

/** How long a payload of a deleted project may remain, in milliseconds. */
const MAX_WAIT_MS = 1_800_000;

/**
 * Creates the sweeper function. For a stream event, it deletes the objects that were just marked for deletion, if they
 * are due. For a scheduled event, it deletes all objects that are due, including those that a stream event left.
 */
export function sweeper(sweep: Sweep, options: BackgroundOptions): BackgroundFunction<StreamResult | undefined> {
  const run = backgroundFunction<StreamResult | undefined, BackgroundContext>(
    'sweeper',
    async (event, context) => {
      if (hasRecords(event)) {
        const { failed, failure } = await sweepEach(sweep, insertedIn(event));
        return { result: streamResult(failed), counts: { left: failed.length }, failure };
      }
      const { remainingMs } = runDeadline(context, options);
      const { failure, ...counts } = await sweep.all(() => remainingMs() > 0);
      const alerts: AlertCode[] = counts.oldestMs >= MAX_WAIT_MS ? ['sweeps-waiting'] : [];
      return { result: undefined, counts, alerts, failure };
    },
    options,
  );
  return alertIfLate('sweeper', 'stream-late', run, options);
}

/**
 * Deletes the marked objects, and returns those that failed. An object that is not due yet has not failed: a scheduled
 * run deletes it later.
 */
async function sweepEach(
  sweep: Sweep,
  marks: readonly InsertedItem[],
): Promise<{ failed: InsertedItem[]; failure?: unknown }> {
  const failed: InsertedItem[] = [];
  let failure: unknown;
  for (const mark of marks) {
    try {
      await sweep.one(mark.sort);
    } catch (error) {
      failed.push(mark);
      failure ??= error;
    }
  }
  return { failed, failure };
}
