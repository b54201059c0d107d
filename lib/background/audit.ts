import type { Deadline } from '../service/deadline.ts';
import { type Scheduled, type ScheduledOptions, scheduled } from './scheduled.ts';

/** What compares the projects of the service with those that companies own. It changes nothing. */
export type Audit = (
  deadline: Deadline,
) => Promise<{ readonly checked: number; readonly unowned: readonly unknown[]; readonly missing: readonly unknown[] }>;

/** Kept for the answer. */
const MARGIN_MS = 5_000;

/** Makes the function that tells how many projects an audit found; which they are, `segue audit` says. */
export function auditor(audit: Audit, options: ScheduledOptions): Scheduled {
  const work = async (remainingMs: () => number) => {
    const { checked, unowned, missing } = await audit({ remainingMs: () => Math.max(0, remainingMs() - MARGIN_MS) });
    return { checked, unowned: unowned.length, missing: missing.length };
  };
  return scheduled('audit', work, options);
}
