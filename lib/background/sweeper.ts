import { failureFields, type Log, logToStandardError } from '../service/log.ts';
import { answerTo, type Inserted, insertedIn, isStreamEvent, type StreamAnswer } from './stream.ts';

/** What removes bytes; it may be stopped anywhere. */
export interface Sweep {
  /** Everything that is due. @param isTimeLeft asked before each object */
  all(isTimeLeft: () => boolean): Promise<Swept>;
  /** One object that was marked. @returns whether it is done */
  one(object: string): Promise<boolean>;
}

/** What a sweep came to, and why the first of what it left could not be removed. */
interface Swept {
  readonly removed: number;
  readonly left: number;
  readonly oldestMs: number;
  readonly failure?: unknown;
}

/** What a Lambda context is asked for. */
export interface SweeperContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** Kept for the answer. */
const MARGIN_MS = 5_000;

/**
 * Makes the sweeper: of a stream's event it removes what was marked just now, of any other (a schedule's) whatever is
 * due. What a stream could not do, the schedule does.
 */
export function sweeper(
  sweep: Sweep,
  { now, log = logToStandardError }: { readonly now: () => number; readonly log?: Log },
): (event: unknown, context: SweeperContext) => Promise<StreamAnswer | undefined> {
  return async (event, context) => {
    const began = now();
    const base = { operation: 'sweeper', requestId: context.awsRequestId };
    try {
      if (isStreamEvent(event)) {
        const { failed, failure } = await sweepEach(sweep, insertedIn(event));
        log({
          ...base,
          durationMs: now() - began,
          left: failed.length,
          ...(failure !== undefined && failureFields(failure)),
        });
        return answerTo(failed);
      }
      const { failure, ...swept } = await sweep.all(() => context.getRemainingTimeInMillis() > MARGIN_MS);
      log({ ...base, durationMs: now() - began, ...swept, ...(failure !== undefined && failureFields(failure)) });
      return undefined;
    } catch (error) {
      log({ ...base, durationMs: now() - began, ...failureFields(error) });
      throw error;
    }
  };
}

/** A mark that is not due yet is no failure: the schedule comes back to it. */
async function sweepEach(sweep: Sweep, marks: readonly Inserted[]): Promise<{ failed: Inserted[]; failure?: unknown }> {
  const failed: Inserted[] = [];
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
