import { deliveryQueue } from '../deliveries/queue.ts';
import { type DeliveryRef, type DeliveryState, KNOWN_MS, readState, refIn, stateKey } from './delivery-records.ts';

/** The number of attempts over the mapping's time or memory limit after which a delivery becomes a dead letter. */
export const MAX_OVER_LIMIT = 3;

/** The queue of the deliveries. */
export const DELIVERIES = deliveryQueue<DeliveryRef, DeliveryState>({
  name: 'open-deliveries',
  letters: 'dead-letters',
  write: ({ source, id }) => `${source}/${id}`,
  read: (companyId, text) => ({ companyId, ...refIn(text) }),
  groupOf: ({ source }) => source,
  idOf: ({ id }) => id,
  keyOf: stateKey,
  parse: readState,
  maxRunning: 8,
  // A slow mapping does not delay other sources.
  maxRunningOfGroup: 2,
  attemptMs: 12_000,
  leaseMs: 60_000,
  keptMs: KNOWN_MS,
  retry: { firstMs: 2_000, longestMs: 3_600_000, maxAttempts: 30, openMs: 86_400_000 },
  changedAtOnce:
    'Another command changed this dead letter at the same time. List the dead letters before you try again.',
});
