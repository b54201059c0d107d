import { utc } from '../contract/date.ts';
import type { DomainEvent, EventData, EventType } from '../contract/event.ts';
import type { CallContext } from '../service/port.ts';
import type { Key, Write } from '../storage/port.ts';
import { companyIn, companyPartition } from './keys.ts';

/** The dependencies of event records. */
export interface EventDeps {
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Makes a globally unique id. */
  readonly newEventId: () => string;
}

/** Who makes a change: the company, the request, and its trace. */
export type EventOrigin = Pick<CallContext, 'companyId' | 'requestId' | 'traceId'>;

/** A change of a project to report, with its number among the changes of the project. */
export interface NewEvent {
  readonly type: EventType;
  /** The number of the event: 1 for the first event of a project, and 1 more for each following event. */
  readonly sequence: number;
  readonly data: EventData;
  /** The project's `eventUrl`, if the event is to be sent there. */
  readonly eventUrl?: string | undefined;
}

/** The data of an outbox record: an event, and the URL to send it to. */
export interface OutboxRecord {
  /** The event. In the feed, the position is added to its id. */
  readonly event: DomainEvent;
  readonly eventUrl?: string | undefined;
  /** The position of the event in the feed, once it has one. The record stays until the delivery to the URL is open. */
  readonly position?: number | undefined;
}

/** The prefix of the sort keys of all outbox records of a company. */
export const OUTBOX_PREFIX = 'outbox/';

const EVENTS = '/events';

/**
 * Returns the partition of a company's events. They are not in the partition of its projects, because they need more
 * than half of the writes of a change, and DynamoDB limits the writes of each partition.
 */
export function eventsPartition(companyId: string): string {
  return companyPartition(companyId) + EVENTS;
}

/** Returns the id of the company whose events are in a partition. */
export function companyOfEvents(partition: string): string {
  return companyIn(partition.slice(0, -EVENTS.length));
}

/**
 * Returns the storage key of an outbox record. The store lists the last key first. So the first project sorts last, and
 * of each project the first event.
 */
export function outboxKey(
  companyId: string,
  { projectId, sequence }: { readonly projectId: number; readonly sequence: number },
): Key {
  const [project, event] = [projectId, sequence].map((n) => String(Number.MAX_SAFE_INTEGER - n).padStart(16, '0'));
  return { partition: eventsPartition(companyId), sort: `${OUTBOX_PREFIX}${project}/${event}` };
}

/**
 * Makes the write that records an event in the outbox. Add it to the batch of the change that the event reports, and
 * refuse the batch if another commit took the sequence number. Then the sequence numbers of a project have no gaps, and
 * an event is visible only after all earlier events of its project.
 */
export function outboxWrite(
  { now, newEventId }: EventDeps,
  { companyId, requestId, traceId }: EventOrigin,
  { type, sequence, data, eventUrl }: NewEvent,
): Write {
  const { projectId, taskId } = data;
  const task = taskId === undefined ? {} : { taskId };
  const trace = traceId === undefined ? {} : { traceId };
  const ids = { id: newEventId(), type, companyId, projectId, ...task, requestId, ...trace };
  const event: DomainEvent = { ...ids, atUtc: utc(now()), sequence, data };
  const record: OutboxRecord = { event, ...(eventUrl !== undefined && { eventUrl }) };
  return { kind: 'insert', key: outboxKey(companyId, { projectId, sequence }), data: record };
}
