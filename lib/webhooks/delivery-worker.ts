import type { BackgroundOptions } from '../background/background-function.ts';
import { streamHandler } from '../background/stream.ts';
import { type Attempted, type DueWorker, type DueWorkerOptions, dueWorker } from '../deliveries/due-worker.ts';
import { attemptFields, type Log, logToStandardError } from '../service/log.ts';
import { attemptDelivery, type DeliveryDeps } from './attempt-delivery.ts';
import { DELIVERIES } from './delivery-queue.ts';
import { type DeliveryRef, deliveryAt, type OpenDeliveryRef } from './delivery-records.ts';

/** The dependencies of a delivery worker. */
export interface DeliveryWorkerDeps extends DeliveryDeps, Pick<DueWorkerOptions<OpenDeliveryRef>, 'pause'> {
  /** Called for each attempt that ended its delivery or failed. */
  readonly onAttempt?: (ref: DeliveryRef, attempted: Attempted) => void;
}

/** Makes attempts at deliveries, several at once. */
export type DeliveryWorker = DueWorker<OpenDeliveryRef>;

/** Creates a worker for deliveries. */
export function deliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const attempt: DueWorkerOptions<OpenDeliveryRef>['attempt'] = (ref, deadline) => attemptDelivery(deps, ref, deadline);
  return dueWorker({ ...DELIVERIES, onAttempt: () => {}, ...deps, attempt });
}

const OPERATION = 'deliveries';

/** Returns a function that logs an attempt. The line has ids and codes, and no content of the message. */
export function logDelivery(log: Log = logToStandardError): (ref: DeliveryRef, attempted: Attempted) => void {
  return ({ source, id: requestId }, { companyId, traceId, durationMs, error }) =>
    log({ operation: OPERATION, requestId, traceId, companyId, source, durationMs, ...attemptFields(error) });
}

/** Makes the Lambda handler of the deliveries. */
export function deliveryHandler(worker: DeliveryWorker, options: BackgroundOptions) {
  const alerts = { waiting: 'deliveries-waiting', letters: 'dead-deliveries' } as const;
  return streamHandler({ operation: OPERATION, alerts, refAt: deliveryAt }, worker, options);
}
