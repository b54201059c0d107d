import type { Deadline } from '../service/deadline.ts';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  runDeadline,
} from './background-function.ts';

/** Compares the projects at the upstream service with the ledger. Changes nothing. */
export type Audit = (
  deadline: Deadline,
) => Promise<{ readonly checked: number; readonly unowned: readonly unknown[]; readonly missing: readonly unknown[] }>;

/** Creates the handler that runs an audit and logs its counts. To list the projects themselves, run `segue audit`. */
export function auditor(audit: Audit, options: BackgroundOptions): BackgroundFunction {
  return backgroundFunction(
    'audit',
    async (_event, context) => {
      const { checked, unowned, missing } = await audit(runDeadline(context, options));
      const counts = { checked, unowned: unowned.length, missing: missing.length };
      return { result: undefined, counts, alerts: counts.unowned + counts.missing > 0 ? ['strays'] : [] };
    },
    options,
  );
}
