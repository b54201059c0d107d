import type { BackgroundFunction, BackgroundOptions } from '../background/background-function.ts';
import { dueHandler } from '../background/delivery-handler.ts';
import { type Attempted, type DueWorker, type DueWorkerOptions, dueWorker } from '../deliveries/due-worker.ts';
import { attemptFields, type Log, logToStandardError } from '../service/log.ts';
import { attemptResult, type ResultDeps } from './attempt.ts';
import { RESULT_DELIVERIES, type ResultRef } from './deliveries.ts';
import { largeSlot } from './large-slot.ts';

/** The dependencies of a sender of results. */
export interface ResultSenderDeps extends Omit<ResultDeps, 'slot'>, Pick<DueWorkerOptions<ResultRef>, 'pause'> {
  /** Called for each attempt that ended its delivery or failed. */
  readonly onAttempt?: (ref: ResultRef, attempted: Attempted) => void;
}

/** Sends results to destinations, several at once. */
export type ResultSender = DueWorker<ResultRef>;

/** Creates a sender of results. */
export function resultSender(deps: ResultSenderDeps): ResultSender {
  const own = { ...deps, slot: largeSlot() };
  const attempt: DueWorkerOptions<ResultRef>['attempt'] = (ref, deadline) => attemptResult(own, ref, deadline);
  return dueWorker({ ...RESULT_DELIVERIES, onAttempt: () => {}, ...deps, attempt });
}

const OPERATION = 'sendResults';

/** Returns a function that logs an attempt. The line has ids and codes, and no name, URL or content. */
export function logResult(log: Log = logToStandardError): (ref: ResultRef, attempted: Attempted) => void {
  return ({ projectId }, { companyId, traceId, durationMs, error }) =>
    log({
      operation: OPERATION,
      requestId: 'none',
      traceId,
      companyId,
      projectId,
      durationMs,
      ...attemptFields(error),
    });
}

/** Makes the Lambda handler that sends results. A schedule calls it. */
export function resultHandler(sender: ResultSender, options: BackgroundOptions): BackgroundFunction<unknown> {
  const alerts = { waiting: 'results-waiting', letters: 'failed-results' } as const;
  return dueHandler(
    { operation: OPERATION, alerts, entriesIn: () => [], margin: 'report', limitsMs: {} },
    sender,
    options,
  );
}
