import { type Scheduled, type ScheduledOptions, scheduled } from './scheduled.ts';

/**
 * What finishes the operations that requests left open; it may be stopped anywhere, and run twice at once.
 * @param isTimeLeft asked before each operation
 */
export type Reconcile = (
  isTimeLeft: () => boolean,
) => Promise<{ readonly settled: number; readonly left: number; readonly oldestMs: number }>;

/** Longer than the last operation that is begun may take. */
const MARGIN_MS = 20_000;

/** Makes the reconciler. What it leaves, the next run finds. */
export function reconciler(reconcile: Reconcile, options: ScheduledOptions = {}): Scheduled {
  return scheduled('reconciler', (remainingMs) => reconcile(() => remainingMs() > MARGIN_MS), options);
}
