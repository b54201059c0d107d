import type { AlertCode } from '../contract/alerts.ts';
import type { RunReport } from './background-function.ts';
import type { WorkSummary } from './due-worker.ts';

/** The alerts of a worker. */
export interface WorkAlerts {
  /** The alert for due work that has waited for 10 minutes. */
  readonly waiting: AlertCode;
  /** The alert for a new dead letter. */
  readonly letters?: AlertCode;
}

/** How long due work may wait, in milliseconds. */
const MAX_WAIT_MS = 600_000;
/**
 * How long a dead letter counts as new, in milliseconds. Several runs see it in this time, so a run that fails does not
 * hide it. An alert for as long as there are dead letters would hide those that follow.
 */
const NEW_MS = 600_000;

/** Returns the counts of a run over all due work for its log line, and its alerts. */
export function reportOf(
  { newestLetterMs, ...counts }: WorkSummary,
  { waiting, letters }: WorkAlerts,
): Pick<RunReport<unknown>, 'counts' | 'alerts'> {
  const isNew = newestLetterMs !== undefined && newestLetterMs < NEW_MS;
  const alerts = [...(counts.oldestMs >= MAX_WAIT_MS ? [waiting] : []), ...(letters && isNew ? [letters] : [])];
  return { counts, alerts };
}
