import type { BackgroundFunction, BackgroundOptions } from '../background/background-function.ts';
import { dueHandler, streamFunction } from '../background/delivery-handler.ts';
import type { StreamResult } from '../background/stream.ts';
import { type Attempted, type DueWorker, type DueWorkerOptions, dueWorker } from '../deliveries/due-worker.ts';
import { attemptFields, type Log, logToStandardError } from '../service/log.ts';
import { type EventDeliveryRef, eventDeliveryAt, FAILED_EVENTS, OPEN_EVENTS } from './delivery-records.ts';
import { type SendDeps, sendEvent } from './send-event.ts';

/** The dependencies of a sender of events. */
export interface EventSenderDeps extends SendDeps, Pick<DueWorkerOptions<EventDeliveryRef>, 'pause'> {
  /** Called for each attempt that ended its delivery or failed. */
  readonly onAttempt?: (ref: EventDeliveryRef, attempted: Attempted) => void;
}

/** Sends events to their receivers, several at once. */
export type EventSender = DueWorker<EventDeliveryRef>;

/**
 * Creates a sender of events. It sends at most four at once to one receiver, so that a receiver that does not answer
 * leaves room for the others.
 */
export function eventSender({ onAttempt = () => {}, ...deps }: EventSenderDeps): EventSender {
  return dueWorker({
    store: deps.store,
    now: deps.now,
    list: OPEN_EVENTS,
    letters: FAILED_EVENTS,
    maxRunning: 32,
    maxRunningOfGroup: 4,
    attemptMs: 12_000,
    pause: deps.pause,
    attempt: (ref) => sendEvent(deps, ref),
    onAttempt,
  });
}

const OPERATION = 'sendEvents';

/** Returns a function that logs an attempt. The line has ids and codes, and no URL. */
export function logSent(log: Log = logToStandardError): (ref: EventDeliveryRef, attempted: Attempted) => void {
  return (_, { companyId, traceId, durationMs, error }) =>
    log({ operation: OPERATION, requestId: 'none', traceId, companyId, durationMs, ...attemptFields(error) });
}

/** Makes the Lambda handler that sends events. */
export function sendHandler(
  sender: EventSender,
  options: BackgroundOptions,
): BackgroundFunction<StreamResult | undefined> {
  const alerts = { waiting: 'events-waiting', letters: 'failed-events' } as const;
  return dueHandler(streamFunction(OPERATION, eventDeliveryAt, alerts), sender, options);
}
