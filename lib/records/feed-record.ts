import * as z from 'zod/mini';
import type { DomainEvent } from '../contract/event.ts';
import { hot } from '../contract/hot.ts';
import type { Key } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { StoredDomainEvent } from './contract-records.ts';
import { eventsPartition, type OutboxRecord } from './outbox.ts';

const StoredOutboxRecord = recordOf(() => ({
  event: StoredDomainEvent,
  eventUrl: z.optional(z.string()),
  position: z.optional(z.int()),
}));
const outboxRecord = hot(StoredOutboxRecord);

/** Parses the data of an outbox record. @throws if the data has another shape */
export function readOutboxRecord(data: unknown): OutboxRecord {
  return outboxRecord().parse(data);
}

/**
 * The record of an event in the feed, with its position: 1 for the company's first event, without gaps. The stream of the
 * table passes every new record on to the event bus.
 */
const FeedRecord = recordOf(() => ({
  position: z.int(),
  event: StoredDomainEvent,
  /** Whether the company had more events to move into the feed after this one. */
  hasMore: z.optional(z.boolean()),
}));
export type FeedRecord = Readonly<z.infer<typeof FeedRecord>>;
const feedRecord = hot(FeedRecord);

/** Parses the data of a record of the feed. @throws if the data has another shape */
export function readFeedRecord(data: unknown): FeedRecord {
  return feedRecord().parse(data);
}

/** A destination of a company, as whoever moves an event must know it. */
const FeedDestination = recordOf(() => ({
  /** The random id of the destination. */
  id: z.string(),
  name: z.string(),
  /** The types of the events for which a delivery is opened. */
  on: z.array(z.string()),
}));
export type FeedDestination = Readonly<z.infer<typeof FeedDestination>>;

/**
 * The record of the last event of a company's feed. Whoever moves events reads it anyway, so it also has the company's
 * destinations: a company without one costs no further read.
 */
const FeedEnd = recordOf(() => ({
  /** The position of the last event; 0 if there is none. */
  position: z.int(),
  /** When the last event expires, in milliseconds since 1970. No later event expires sooner. */
  expiresAtMs: z.int(),
  destinations: z.optional(z.array(FeedDestination)),
}));
const feedEnd = hot(FeedEnd);
export type FeedEnd = Readonly<z.infer<typeof FeedEnd>>;

/** Parses the data of the record of a feed's end. @throws if the data has another shape */
export function readFeedEnd(data: unknown): FeedEnd {
  return feedEnd().parse(data);
}

/** The prefix of the sort keys of a company's feed. */
export const FEED_PREFIX = 'feed/';

/** The highest position. Later positions would need another digit. */
const LAST_POSITION = 999_999_999_999_999;

/** Returns the sort key of a position of the feed. The store lists the last key first, so the first position sorts last. */
export function feedSort(position: number): string {
  return FEED_PREFIX + String(LAST_POSITION - position).padStart(15, '0');
}

/** Returns an event of the outbox with its id in the feed, which tells its position. */
export function atPosition(event: DomainEvent, position: number): DomainEvent {
  return { ...event, id: `${event.id}-${position}` };
}

/** Returns the id that an event of the feed had in the outbox. */
export function idBefore({ position, event }: FeedRecord): string {
  return event.id.slice(0, -`-${position}`.length);
}

/** Returns the position in the id of an event of the feed; `undefined` if the id has none. */
export function positionIn(id: string): number | undefined {
  const [, position] = /-([1-9]\d{0,14})$/.exec(id) ?? [];
  return position === undefined ? undefined : Number(position);
}

/** Returns the storage key of the record of a feed's end. */
export function feedEndKey(companyId: string): Key {
  return { partition: eventsPartition(companyId), sort: 'feed-end' };
}
