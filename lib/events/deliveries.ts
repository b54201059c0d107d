import { randomInt } from 'node:crypto';
import * as z from 'zod/mini';
import { retentionMsOf } from '../contract/retentions.ts';
import { deliveriesIn, deliveryQueue, ENDED, OPEN, openedAt } from '../deliveries/queue.ts';
import { StoredPublishedEvent } from '../records/contract-records.ts';
import { hashOf } from '../records/keys.ts';
import { asUnavailable, type ItemStore, type Key, type ListedStore, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import type { EventToSend } from './feed-positions.ts';

/** The delivery of one event to the receiver of its project. */
export interface EventDeliveryRef {
  readonly companyId: string;
  /** A hash of the company and the receiver's host. */
  readonly receiver: string;
  /** A hash of the company and the project. */
  readonly project: string;
  /** The sequence number of the event. */
  readonly sequence: number;
}

/** Why an attempt failed. It has no address and nothing that the receiver sent, except its status. */
const SendFailure = recordOf(() => ({
  reason: z.enum(['no-secret', 'address-refused', 'no-answer', 'status']),
  /** The HTTP status, if the receiver answered. */
  status: z.optional(z.int()),
  /** Node's error code, if there was no answer. */
  code: z.optional(z.string()),
}));
export type SendFailure = z.infer<typeof SendFailure>;

const EVENT = {
  eventUrl: z.string(),
  event: StoredPublishedEvent,
  /** The failure of the last attempt that finished. */
  failure: z.optional(SendFailure),
};

/** The state of a delivery. Nothing is kept of one that succeeded. */
const EventDeliveryState = z.discriminatedUnion('kind', [
  recordOf(() => ({
    ...OPEN,
    ...EVENT,
    /** Whether an attempt is running, unless its process was stopped. */
    isSending: z.boolean(),
  })),
  recordOf(() => ({ kind: z.literal('dead'), ...ENDED, ...EVENT })),
]);
export type EventDeliveryState = z.infer<typeof EventDeliveryState>;
export type OpenEventDelivery = Extract<EventDeliveryState, { kind: 'open' }>;

/** Parses the stored state of a delivery. @throws if the data has another shape */
export function readEventDelivery(data: unknown): EventDeliveryState {
  return EventDeliveryState.parse(data);
}

/** Returns the reference of the delivery of an event. */
export function refOf({ companyId, eventUrl, event }: EventToSend): EventDeliveryRef {
  const host = URL.canParse(eventUrl) ? new URL(eventUrl).host : '';
  return {
    companyId,
    receiver: hashOf(`${companyId} ${host}`),
    project: hashOf(`${companyId} ${event.data.projectId}`),
    sequence: event.sequence,
  };
}

const PARTITIONS = 'event-delivery/';

/** Returns the partition of the deliveries of a project, the first event last. */
export function projectPartition({ companyId, receiver, project }: Omit<EventDeliveryRef, 'sequence'>): string {
  return `${PARTITIONS}${companyId}/${receiver}/${project}`;
}

/** Returns the storage key of a delivery. */
export function eventDeliveryKey(ref: EventDeliveryRef): Key {
  return { partition: projectPartition(ref), sort: orderOf(ref) };
}

/** Returns the delivery with this key; `undefined` if the key is not that of a delivery of an event. */
export function eventDeliveryAt({ partition, sort }: Key): EventDeliveryRef | undefined {
  if (!partition.startsWith(PARTITIONS)) return undefined;
  const [companyId = '', ...text] = `${partition.slice(PARTITIONS.length)}/${sort}`.split('/');
  return refIn(companyId, text.join('/'));
}

/** Writes a sequence number so that the first event of a project sorts last. */
function orderOf({ sequence }: Pick<EventDeliveryRef, 'sequence'>): string {
  return String(Number.MAX_SAFE_INTEGER - sequence).padStart(16, '0');
}

function refIn(companyId: string, text: string): EventDeliveryRef {
  const [receiver = '', project = '', order] = text.split('/');
  return { companyId, receiver, project, sequence: Number.MAX_SAFE_INTEGER - Number(order) };
}

/** The queue of the deliveries of events. All deliveries of a project are in one partition of its list. */
export const EVENT_DELIVERIES = deliveryQueue<EventDeliveryRef, EventDeliveryState>({
  name: 'open-events',
  letters: 'failed-events',
  write: (ref) => `${ref.receiver}/${ref.project}/${orderOf(ref)}`,
  read: refIn,
  groupOf: ({ receiver }) => receiver,
  lockOf: ({ project }) => project,
  idOf: ({ project }) => project,
  keyOf: eventDeliveryKey,
  parse: readEventDelivery,
  maxRunning: 32,
  // A receiver that does not answer leaves room for the others.
  maxRunningOfGroup: 4,
  attemptMs: 12_000,
  leaseMs: 30_000,
  keptMs: retentionMsOf('event'),
  // Attempts go on for 3 days after the event was recorded.
  retry: { firstMs: 5_000, longestMs: 14_400_000, maxAttempts: Number.POSITIVE_INFINITY, openMs: 259_200_000 },
  changedAtOnce: 'Another command changed this delivery at the same time. List the failed deliveries again.',
});

/** The upper limit of a delivery's first version, which is random, because a delivery may be opened again. */
const MAX_FIRST_VERSION = 2 ** 48 - 1;

/**
 * Creates the function that opens the delivery of an event. If the delivery is in the store, nothing changes.
 * @param now returns the current time, in milliseconds since 1970
 */
export function eventDeliveryOpener(store: ItemStore, now: () => number): (toSend: EventToSend) => Promise<void> {
  return async (toSend) => {
    const ref = refOf(toSend);
    const data: EventDeliveryState = { ...toSend, ...openedAt(now()), isSending: false };
    const writes: Write[] = [
      { kind: 'insert', key: eventDeliveryKey(ref), data, firstVersion: randomInt(1, MAX_FIRST_VERSION) },
      { kind: 'insert', key: EVENT_DELIVERIES.list.keyOf(ref, data.dueMs), data: {} },
    ];
    await store.commit({ writes }).catch(asUnavailable('Segue could not queue an event. Send the request again.'));
  };
}

/** A delivery that Segue no longer attempts, with its failure. */
export type FailedEvent = EventDeliveryRef & Extract<EventDeliveryState, { kind: 'dead' }>;

/** The methods that list and resend failed deliveries. */
export type FailedEvents = ReturnType<typeof failedEventsIn>;

/** Lists and resends the failed deliveries in a store. @param now returns the time, in milliseconds since 1970 */
export function failedEventsIn(store: ListedStore, now: () => number) {
  const queue = deliveriesIn(EVENT_DELIVERIES, store, now);
  return {
    /** Lists the failed deliveries of a company, or of all companies, the newest first. */
    list: (companyId?: string): AsyncGenerator<FailedEvent> =>
      queue.letters((ref) => companyId === undefined || ref.companyId === companyId),
    /**
     * Opens a failed delivery for new attempts, as if its event had just been recorded.
     * @returns `false` if the delivery has not failed, or its record has expired
     * @throws {Problem} `unavailable` if another caller has changed it meanwhile
     */
    async resend(ref: EventDeliveryRef): Promise<boolean> {
      const found = await queue.readIn('dead', ref);
      if (!found) return false;
      const { endedAtMs: _, ...failed } = found.state;
      await queue.changeLetter(found, { ...failed, ...openedAt(now()), isSending: false });
      return true;
    },
  };
}
