import * as z from 'zod/mini';
import { hot } from '../contract/hot.ts';
import { StoredDomainEvent } from '../records/contract-records.ts';
import { eventsPartition, type OutboxRecord } from '../records/outbox.ts';
import type { Key } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

const StoredOutboxRecord = recordOf(() => ({ event: StoredDomainEvent, eventUrl: z.optional(z.string()) }));
const outboxRecord = hot(StoredOutboxRecord);

/** Parses the data of an outbox record. @throws if the data has another shape */
export function readOutboxRecord(data: unknown): OutboxRecord {
  return outboxRecord().parse(data);
}

/** The record of an event in the feed, with its position: 1 for the company's first event, without gaps. */
const FeedRecord = recordOf(() => ({ position: z.int(), event: StoredDomainEvent }));
export type FeedRecord = Readonly<z.infer<typeof FeedRecord>>;

/** Parses the data of a record of the feed. @throws if the data has another shape */
export function readFeedRecord(data: unknown): FeedRecord {
  return FeedRecord.parse(data);
}

/** The record of the last event of a company's feed. */
const FeedEnd = recordOf(() => ({
  position: z.int(),
  /** When the last event expires, in milliseconds since 1970. No later event expires sooner. */
  expiresAtMs: z.int(),
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

/** Returns the storage key of the record of a feed's end. */
export function feedEndKey(companyId: string): Key {
  return { partition: eventsPartition(companyId), sort: 'feed-end' };
}
