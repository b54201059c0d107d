import { type EventRecord, type PublishedEvent, publishedEvent } from '../contract/event.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import { eventKey, eventsPartition, OUTBOX_PREFIX, type OutboxRecord, outboxKey } from '../records/outbox.ts';
import type { Deadline } from '../service/deadline.ts';
import { nextTurn } from '../service/turn.ts';
import { asUnavailable, type Item, type ListedStore, type Write } from '../storage/port.ts';
import { type FeedEnd, type FeedRecord, feedEndKey, feedSort, readFeedEnd, readOutboxRecord } from './records.ts';

/** An event to send to the `eventUrl` of its project. */
export interface EventToSend {
  readonly companyId: string;
  readonly eventUrl: string;
  /** The trace of the request that made the change. */
  readonly traceId?: string | undefined;
  readonly event: PublishedEvent;
}

/** The dependencies of a mover. */
export interface MoverDeps {
  /** The store of the projects, with the outbox and the feed. */
  readonly store: ListedStore;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Opens the delivery of an event. If the delivery is open already, nothing changes. Absent if Segue sends no events. */
  readonly openDelivery?: ((toSend: EventToSend) => Promise<void>) | undefined;
}

/** Which events of an outbox were moved. If some were, the record of the last one says that there are more. */
export type Moved = 'all' | 'some' | 'none';

/**
 * Moves the events of a company from the outbox to the feed, until the outbox is empty or the time is over.
 * @param maxBatches how many batches of events to move at most, by default any number
 */
export type MoveEvents = (companyId: string, deadline: Deadline, maxBatches?: number) => Promise<Moved>;

/** The number of events to move in one batch. Each takes three of the `MAX_OPERATIONS` of a commit. */
const MAX_MOVED = 30;
/** How many batches of a company are moved before those of other companies, if a process moves the events of several. */
export const BATCHES_IN_TURN = 10;
const MAX_PAGE_BYTES = 1_000_000;

/** After a commit with an unknown outcome, the next attempt moves the events that are still in the outbox. */
const NOT_MOVED = asUnavailable('Segue could not read the latest events. Send the request again.');

/** An outbox record as the store returned it. */
interface Pending {
  readonly item: Item;
  readonly record: OutboxRecord;
}

/**
 * Creates the function that moves events. A batch takes the next positions of the feed, and fails if another mover took
 * them. So the feed has no gaps, and no event appears before one that was read. Movers may run at the same time, and may
 * be stopped at any point: a delivery opens before its event leaves the outbox.
 */
export function outboxMover({ store, now, openDelivery }: MoverDeps): MoveEvents {
  async function moveBatch(companyId: string): Promise<Moved> {
    const range = { prefix: OUTBOX_PREFIX, limit: MAX_MOVED, maxBytes: MAX_PAGE_BYTES };
    const { items, more } = await store.list(eventsPartition(companyId), range);
    if (items.length === 0) return 'all';
    // Read the end after the list. If another mover moves these events later, it changes the end.
    const end = await store.read(feedEndKey(companyId));
    const listed = items.map((item): Pending => ({ item, record: readOutboxRecord(item.data) }));
    const movable = byTime(await inSequence(listed));
    if (movable.length === 0) return 'none';
    for (const { record } of movable) {
      const { event, eventUrl } = record;
      if (eventUrl === undefined || !openDelivery) continue;
      await openDelivery({ companyId, eventUrl, traceId: event.traceId, event: publishedEvent(event) });
    }
    const isLast = !more && movable.length === listed.length;
    const writes = moveWrites(companyId, { movable, end, isLast }, now());
    const { ok } = await store.commit({ writes }).catch(NOT_MOVED);
    if (!ok) return 'none';
    return isLast ? 'all' : 'some';
  }

  /** Returns the events whose predecessors have left the outbox, or are listed before them. */
  async function inSequence(listed: readonly Pending[]): Promise<Pending[]> {
    const movable: Pending[] = [];
    const nextOf = new Map<number, number>();
    for (const pending of listed) {
      const { projectId, sequence } = pending.record.event;
      const next = nextOf.get(projectId) ?? (await firstMovable(pending.record));
      if (sequence === next) movable.push(pending);
      nextOf.set(projectId, sequence === next ? next + 1 : next);
    }
    return movable;
  }

  /**
   * Returns the sequence number of a listed event if it may be moved, and otherwise a lower one. A list is no snapshot:
   * it may have missed the event before, which was committed first. Then that event is in the outbox now.
   */
  async function firstMovable({ event: { companyId, projectId, sequence } }: OutboxRecord): Promise<number> {
    const previous = { projectId, sequence: sequence - 1 };
    const isFirst = sequence === 1 || (await store.read(outboxKey(companyId, previous))) === undefined;
    return isFirst ? sequence : previous.sequence;
  }

  return async (companyId, deadline, maxBatches = Number.POSITIVE_INFINITY) => {
    let moved: Moved = 'none';
    for (let batches = 0; batches < maxBatches && deadline.remainingMs() > 0; batches++) {
      const batch = await moveBatch(companyId);
      if (batch === 'all') return batch;
      if (batch === 'some') moved = batch;
      // Without this pause, no other request would run: a store in this process answers at once.
      await nextTurn();
    }
    return moved;
  };
}

/** Sorts events by time, and keeps those of each project in their order, whatever the clocks of their processes said. */
function byTime(movable: readonly Pending[]): Pending[] {
  const latestOf = new Map<number, string>();
  const timed = movable.map((pending) => {
    const { projectId, atUtc } = pending.record.event;
    const latest = latestOf.get(projectId) ?? '';
    const time = atUtc > latest ? atUtc : latest;
    latestOf.set(projectId, time);
    return { pending, time };
  });
  return timed
    .sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)))
    .map(({ pending }) => pending);
}

/** A batch of events to move. */
interface Batch {
  readonly movable: readonly Pending[];
  /** The record of the end of the feed. */
  readonly end: Item | undefined;
  /** Whether the outbox has no more events. */
  readonly isLast: boolean;
}

/** Makes the writes that move events from the outbox to the positions after a feed's end. */
function moveWrites(companyId: string, { movable, end, isLast }: Batch, nowMs: number): Write[] {
  const last = end && readFeedEnd(end.data);
  const expiresAtMs = Math.max(last?.expiresAtMs ?? 0, nowMs + retentionMsOf('event'));
  const first = (last?.position ?? 0) + 1;
  const data: FeedEnd = { ...last, position: first + movable.length - 1, expiresAtMs };
  const key = feedEndKey(companyId);
  const moved = movable.flatMap(({ item, record: { event, eventUrl } }, index): Write[] => {
    const position = first + index;
    // The URL of a receiver must not stay in the files of the store.
    const erase = eventUrl !== undefined;
    const feedRecord: FeedRecord = { position, event };
    const hasMore = !isLast && index === movable.length - 1;
    const eventRecord: EventRecord = { ...event, position, ...(hasMore && { hasMore }) };
    return [
      { kind: 'put', key: { partition: item.partition, sort: feedSort(position) }, data: feedRecord, expiresAtMs },
      { kind: 'put', key: eventKey(companyId, event.id), data: eventRecord, expiresAtMs },
      { kind: 'remove', key: { partition: item.partition, sort: item.sort }, version: item.version, erase },
    ];
  });
  return [end ? { kind: 'replace', key, version: end.version, data } : { kind: 'insert', key, data }, ...moved];
}
