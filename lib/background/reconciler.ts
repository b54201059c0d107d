import { failureFields } from '../service/log.ts';
import { type Scheduled, type ScheduledOptions, scheduled } from './scheduled.ts';

/**
 * What finishes the operations that requests left open; it may be stopped anywhere, and run twice at once.
 * @param isTimeLeft asked before each operation
 */
export type Reconcile = (isTimeLeft: () => boolean) => Promise<Reconciled>;

/** What a run came to, and why the first of what it left could not be worked on. */
interface Reconciled {
  readonly settled: number;
  readonly givenUp: number;
  readonly left: number;
  readonly oldestMs: number;
  readonly failure?: unknown;
}

/** Longer than the last operation that is begun may take. */
const MARGIN_MS = 20_000;

/** Makes the reconciler. What it leaves, the next run finds. */
export function reconciler(reconcile: Reconcile, options: ScheduledOptions): Scheduled {
  const work = async (remainingMs: () => number) => {
    const { failure, ...counts } = await reconcile(() => remainingMs() > MARGIN_MS);
    return { ...counts, ...(failure !== undefined && failureFields(failure)) };
  };
  return scheduled('reconciler', work, options);
}
