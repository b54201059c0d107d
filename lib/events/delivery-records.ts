import * as z from 'zod/mini';
import { retentionMsOf } from '../contract/retentions.ts';
import { dueList } from '../deliveries/due-list.ts';
import { StoredPublishedEvent } from '../records/contract-records.ts';
import { hashOf } from '../records/keys.ts';
import { MAX_RETRY_AFTER_SECONDS } from '../service/retry.ts';
import type { Key } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import type { EventToSend } from './outbox-mover.ts';

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

/** The pauses between attempts, in milliseconds. */
export const EVENT_BACKOFF = { firstMs: 5_000, longestMs: 14_400_000 } as const;

/** How long a failed delivery is kept, in milliseconds. */
export const FAILED_MS = retentionMsOf('event');

/** Why an attempt failed. It has no address and nothing that the receiver sent, except its status. */
const SendFailure = recordOf({
  reason: z.enum(['no-secret', 'address-refused', 'no-answer', 'status']),
  /** The HTTP status, if the receiver answered. */
  status: z.optional(z.int()),
  /** Node's error code, if there was no answer. */
  code: z.optional(z.string()),
});
export type SendFailure = z.infer<typeof SendFailure>;

/** The fields that a delivery has in every state. */
const COMMON = {
  companyId: z.string(),
  eventUrl: z.string(),
  /** The trace of the request that made the change. */
  traceId: z.optional(z.string()),
  event: StoredPublishedEvent,
  /** How many attempts were made, since the event was recorded or resent. */
  attempts: z.int(),
  /** The failure of the last attempt that finished. */
  failure: z.optional(SendFailure),
};

/** The state of a delivery. A delivery that succeeded has none. */
const EventDeliveryState = z.discriminatedUnion('kind', [
  recordOf({
    kind: z.literal('open'),
    ...COMMON,
    /** When the delivery was opened or resent, in milliseconds since 1970. */
    openedAtMs: z.number(),
    /** When the next attempt is due, in milliseconds since 1970. During an attempt, when its lease expires. */
    dueMs: z.number(),
    /** Whether an attempt is running, unless its process was stopped. */
    isSending: z.boolean(),
  }),
  recordOf({ kind: z.literal('failed'), ...COMMON, endedAtMs: z.number() }),
]);
export type EventDeliveryState = z.infer<typeof EventDeliveryState>;
export type OpenEventDelivery = Extract<EventDeliveryState, { kind: 'open' }>;
export type FailedEventDelivery = Extract<EventDeliveryState, { kind: 'failed' }>;

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

const DELIVERIES = 'event-delivery/';

/** Returns the partition of the deliveries of a project, the first event last. */
export function projectPartition({ companyId, receiver, project }: Omit<EventDeliveryRef, 'sequence'>): string {
  return `${DELIVERIES}${companyId}/${receiver}/${project}`;
}

/** Returns the storage key of a delivery. */
export function eventDeliveryKey(ref: EventDeliveryRef): Key {
  return { partition: projectPartition(ref), sort: orderOf(ref) };
}

/** Returns the delivery with this key; `undefined` if the key is not that of a delivery of an event. */
export function eventDeliveryAt({ partition, sort }: Key): EventDeliveryRef | undefined {
  if (!partition.startsWith(DELIVERIES)) return undefined;
  return wholeRefIn(`${partition.slice(DELIVERIES.length)}/${sort}`);
}

/** Writes a sequence number so that the first event of a project sorts last. */
function orderOf({ sequence }: Pick<EventDeliveryRef, 'sequence'>): string {
  return String(Number.MAX_SAFE_INTEGER - sequence).padStart(16, '0');
}

/** Returns the text of a reference in a sort key, without its company. */
function textOf(ref: EventDeliveryRef): string {
  return `${ref.receiver}/${ref.project}/${orderOf(ref)}`;
}

function refIn(companyId: string, text: string): EventDeliveryRef {
  const [receiver = '', project = '', order] = text.split('/');
  return { companyId, receiver, project, sequence: Number.MAX_SAFE_INTEGER - Number(order) };
}

/** Parses the text of a reference with its company. */
function wholeRefIn(text: string): EventDeliveryRef {
  const end = text.indexOf('/');
  return refIn(text.slice(0, end), text.slice(end + 1));
}

/** The list of open deliveries of events. All deliveries of a project are in one partition of the list. */
export const OPEN_EVENTS = dueList<EventDeliveryRef>({
  name: 'open-events',
  write: textOf,
  read: refIn,
  groupOf: ({ receiver }) => receiver,
  lockOf: ({ project }) => project,
  idOf: ({ project }) => project,
  latestDueMs: (nowMs) => nowMs + EVENT_BACKOFF.longestMs + MAX_RETRY_AFTER_SECONDS * 1_000,
});

/** The partition of the list of failed deliveries of events. */
export const FAILED_EVENTS = 'failed-events';

/** Returns the key of an entry of the list of failed deliveries, which is sorted by the end of the deliveries. */
export function failedEventKey(ref: EventDeliveryRef, endedAtMs: number): Key {
  return { partition: FAILED_EVENTS, sort: `${String(endedAtMs).padStart(13, '0')}/${ref.companyId}/${textOf(ref)}` };
}

/** Parses the sort key of an entry of the list of failed deliveries. */
export function readFailedEventKey(sort: string): EventDeliveryRef {
  return wholeRefIn(sort.slice(sort.indexOf('/') + 1));
}
