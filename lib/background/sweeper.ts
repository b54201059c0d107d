import { type BackgroundFunction, type BackgroundOptions, backgroundFunction } from './background-function.ts';
import { type InsertedItem, insertedIn, isStreamEvent, type StreamResult, streamResult } from './stream.ts';

/** Deletes the bytes of deleted projects. It may be stopped at any point. */
export interface Sweep {
  /** Deletes all objects that are due. @param isTimeLeft called before each object */
  all(isTimeLeft: () => boolean): Promise<Swept>;
  /** Deletes one marked object, if it is due. @returns whether it is deleted */
  one(object: string): Promise<boolean>;
}

/** The result of a sweep, and why the first object that it left could not be deleted. */
interface Swept {
  readonly removed: number;
  readonly left: number;
  readonly oldestMs: number;
  readonly failure?: unknown;
}

/** Kept for the end of the function, in milliseconds. */
const MARGIN_MS = 5_000;

/**
 * Makes the sweeper. On a stream's event it deletes the objects that were just marked; on any other event, a schedule's,
 * it deletes all that are due. The schedule repeats what fails on the stream.
 */
export function sweeper(sweep: Sweep, options: BackgroundOptions): BackgroundFunction<StreamResult | undefined> {
  return backgroundFunction(
    'sweeper',
    async (event, context) => {
      if (isStreamEvent(event)) {
        const { failed, failure } = await sweepEach(sweep, insertedIn(event));
        return { result: streamResult(failed), counts: { left: failed.length }, failure };
      }
      const { failure, ...counts } = await sweep.all(() => context.getRemainingTimeInMillis() > MARGIN_MS);
      return { result: undefined, counts, failure };
    },
    options,
  );
}

/** A mark that is not due yet has not failed: the schedule returns to it. */
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
