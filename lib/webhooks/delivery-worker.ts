import type { BackgroundFunction, BackgroundOptions } from '../background/background-function.ts';
import { dueHandler, streamFunction } from '../background/delivery-handler.ts';
import type { StreamResult } from '../background/stream.ts';
import { type Attempted, type DueWorker, type DueWorkerOptions, dueWorker } from '../deliveries/due-worker.ts';
import { attemptFields, type Log, logToStandardError } from '../service/log.ts';
import type { ListedStore } from '../storage/port.ts';
import { attemptDelivery, type DeliveryDeps } from './attempt-delivery.ts';
import {
  DEAD_LETTERS,
  type DeliveryRef,
  deliveryAt,
  OPEN_DELIVERIES,
  type OpenDeliveryRef,
} from './delivery-records.ts';

/** The dependencies of a delivery worker. */
export interface DeliveryWorkerDeps extends DeliveryDeps, Pick<DueWorkerOptions<OpenDeliveryRef>, 'pause'> {
  readonly store: ListedStore;
  /** Called for each attempt that ended its delivery or failed. */
  readonly onAttempt?: (ref: DeliveryRef, attempted: Attempted) => void;
}

/** Makes attempts at deliveries, several at once. */
export type DeliveryWorker = DueWorker<OpenDeliveryRef>;

/**
 * Creates a worker for deliveries. It makes at most two attempts at once for one source, so that a slow mapping does not
 * delay other sources.
 */
export function deliveryWorker({ onAttempt = () => {}, ...deps }: DeliveryWorkerDeps): DeliveryWorker {
  return dueWorker({
    store: deps.store,
    now: deps.now,
    list: OPEN_DELIVERIES,
    letters: DEAD_LETTERS,
    maxRunning: 8,
    maxRunningOfGroup: 2,
    attemptMs: 12_000,
    pause: deps.pause,
    attempt: (ref, deadline) => attemptDelivery(deps, ref, deadline),
    onAttempt,
  });
}

const OPERATION = 'deliveries';

/** Returns a function that logs an attempt. The line has ids and codes, and no content of the message. */
export function logDelivery(log: Log = logToStandardError): (ref: DeliveryRef, attempted: Attempted) => void {
  return ({ source, id: requestId }, { companyId, traceId, durationMs, error }) =>
    log({ operation: OPERATION, requestId, traceId, companyId, source, durationMs, ...attemptFields(error) });
}

/** Makes the Lambda handler of the deliveries. */
export function deliveryHandler(
  worker: DeliveryWorker,
  options: BackgroundOptions,
): BackgroundFunction<StreamResult | undefined> {
  const alerts = { waiting: 'deliveries-waiting', letters: 'dead-deliveries' } as const;
  return dueHandler(streamFunction(OPERATION, deliveryAt, alerts), worker, options);
}
