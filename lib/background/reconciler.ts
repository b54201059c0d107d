import type { AlertCode } from '../contract/alerts.ts';
import { type Log, type LogLine, logToStandardError } from '../service/log.ts';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  runDeadline,
} from './background-function.ts';

/**
 * Finishes the operations that requests left open. A run may be stopped at any point, and two runs may overlap.
 * @param isTimeLeft called before each operation; if it returns `false`, the run ends
 * @param onEnd called for each operation that the run ended
 */
export type Reconcile = (isTimeLeft: () => boolean, onEnd: (ended: EndedOperation) => void) => Promise<Reconciled>;

/** An operation that a run ended, with the request that left it open. */
interface EndedOperation extends Pick<LogLine, 'requestId' | 'traceId' | 'companyId'> {
  readonly end: 'settled' | 'givenUp';
}

/** The counts of one run, and the error of the first operation that the run left open. */
interface Reconciled {
  readonly settled: number;
  readonly givenUp: number;
  readonly left: number;
  readonly oldestMs: number;
  readonly failure?: unknown;
}

/** Returns a function that logs an operation that a run ended, with the trace of its request. */
export function logEnded(log: Log = logToStandardError): (ended: EndedOperation) => void {
  return ({ end, ...origin }) => log({ operation: 'reconciler', ...origin, durationMs: 0, [end]: 1 });
}

/** How long an operation may stay open, in milliseconds. */
const MAX_OPEN_MS = 900_000;

/** The time reserved for the last operation of a run, in milliseconds. No operation takes longer. */
const LAST_MS = 15_000;

/** Creates the function that finishes open operations. If a run leaves operations open, the next run finishes them. */
export function reconciler(reconcile: Reconcile, options: BackgroundOptions): BackgroundFunction {
  const logEnd = logEnded(options.log);
  return backgroundFunction(
    'reconciler',
    async (_event, context) => {
      const { remainingMs } = runDeadline(context, options);
      const { failure, ...counts } = await reconcile(() => remainingMs() > LAST_MS, logEnd);
      const alerts: AlertCode[] = [];
      if (counts.givenUp > 0) alerts.push('operations-given-up');
      if (counts.oldestMs >= MAX_OPEN_MS) alerts.push('operations-open');
      return { result: undefined, counts, alerts, failure };
    },
    options,
  );
}
