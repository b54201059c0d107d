import type { Attempted, DueWorker } from '../deliveries/due-worker.ts';
import { attemptFields, type Log, logToStandardError } from '../service/log.ts';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  runDeadline,
} from './background-function.ts';

const OPERATION = 'reportWaits';

/** Returns a function that logs a look at the project of a wait. The line has ids and codes, and no token. */
export function logLook(log: Log = logToStandardError): (ref: object, attempted: Attempted) => void {
  return (_, { companyId, durationMs, error }) =>
    log({ operation: OPERATION, requestId: 'none', companyId, durationMs, ...attemptFields(error) });
}

/**
 * Makes the Lambda handler that looks at the projects for which workflows wait. It has no alert for waits that are late:
 * an execution that hears nothing looks at its project itself.
 */
export function waitHandler<Ref>({ workOnDue }: DueWorker<Ref>, options: BackgroundOptions): BackgroundFunction {
  return backgroundFunction(
    OPERATION,
    async (_event, context) => {
      const { done, postponed, left, oldestMs } = await workOnDue(runDeadline(context, options));
      return { result: undefined, counts: { done, postponed, left, oldestMs } };
    },
    options,
  );
}
