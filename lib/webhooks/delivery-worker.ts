import type { ScheduledContext, ScheduledOptions } from '../background/scheduled.ts';
import { answerTo, insertedIn, isStreamEvent, type StreamAnswer } from '../background/stream.ts';
import { deadlineAt } from '../service/deadline.ts';
import { failureFields, type Log, logToStandardError } from '../service/log.ts';
import type { Attempted } from './attempt.ts';
import { type DeliveryRef, deliveryAt } from './records.ts';
import type { DeliveryWork } from './work.ts';

const OPERATION = 'deliveries';

/** Makes what writes a line for each attempt that failed: ids and codes, nothing of the message. */
export function toldFailure(log: Log = logToStandardError): (ref: DeliveryRef, attempted: Attempted) => void {
  return ({ source, id: requestId }, { companyId, error }) =>
    log({ operation: OPERATION, requestId, companyId, source, durationMs: 0, ...failureFields(error) });
}

/** Kept for the answer. */
const MARGIN_MS = 2_000;

/**
 * Makes the worker: of a stream's event it works on the deliveries that have just come, of any other (a schedule's) on
 * all that are due. What a stream has no time for, the schedule finds.
 */
export function deliveryWorker(
  { these, due }: DeliveryWork,
  { now, log = logToStandardError }: ScheduledOptions,
): (event: unknown, context: ScheduledContext) => Promise<StreamAnswer | undefined> {
  return async (event, context) => {
    const began = now();
    const base = { operation: OPERATION, requestId: context.awsRequestId };
    const deadline = deadlineAt(began + context.getRemainingTimeInMillis() - MARGIN_MS, now);
    try {
      if (isStreamEvent(event)) {
        const records = insertedIn(event).map((record) => ({ ...record, ref: deliveryAt(record) }));
        const failed = await these(
          records.flatMap(({ ref }) => ref ?? []),
          deadline,
        );
        log({ ...base, durationMs: now() - began });
        return answerTo(records.filter(({ ref }) => failed.some((one) => one === ref)));
      }
      log({ ...base, durationMs: now() - began, ...(await due(deadline)) });
      return undefined;
    } catch (error) {
      log({ ...base, durationMs: now() - began, ...failureFields(error) });
      throw error;
    }
  };
}
