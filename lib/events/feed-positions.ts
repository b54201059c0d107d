import { type PublishedEvent, publishedEvent } from '../contract/event.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import {
  atPosition,
  type FeedDestination,
  type FeedEnd,
  type FeedRecord,
  feedEndKey,
  feedSort,
  readFeedEnd,
  readOutboxRecord,
} from '../records/feed-record.ts';
import { eventsPartition, OUTBOX_PREFIX, type OutboxRecord, outboxKey } from '../records/outbox.ts';
import type { Deadline } from '../service/deadline.ts';
import { nextTurn } from '../service/turn.ts';
import { asUnavailable, type Item, type ListedStore, type Write } from '../storage/port.ts';

/** An event to send to the `eventUrl` of its project. */
export interface EventToSend {
  readonly companyId: string;
  readonly eventUrl: string;
  /** The trace of the request that made the change. */
  readonly traceId?: string | undefined;
  readonly event: PublishedEvent;
}

/** An event of which results may be due at a destination of its company. */
export interface ResultToSend extends Omit<EventToSend, 'eventUrl'> {
  readonly destination: Pick<FeedDestination, 'id' | 'name'>;
}

/** The dependencies of a mover. */
export interface MoverDeps {
  /** The store of the projects, with the outbox and the feed. */
  readonly store: ListedStore;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Opens the delivery of an event. If the delivery is open already, nothing changes. Absent if Segue sends no events. */
  readonly openDelivery?: ((toSend: EventToSend) => Promise<void>) | undefined;
  /** Opens the delivery of results to a destination, in the same way. Absent if Segue sends no results. */
  readonly openResult?: ((toSend: ResultToSend) => Promise<void>) | undefined;
}

/** Which events of an outbox were moved. If some were, a record in the feed says that there are more. */
export type Moved = 'all' | 'some' | 'none';

/**
 * Moves the events of a company from the outbox to the feed, until the outbox is empty or the time is over.
 * @param maxBatches how many batches of events to move at most, by default any number
 */
export type MoveEvents = (companyId: string, deadline: Deadline, maxBatches?: number) => Promise<Moved>;

/** The number of events to move in one batch. Each takes two of the `MAX_OPERATIONS` of a commit. */
const MAX_MOVED = 45;
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
 * be stopped at any point: an event that is sent to a URL leaves the outbox after its delivery is open. Before that, it is
 * in the feed, because its id has the position.
 */
export function outboxMover({ store, now, openDelivery, openResult }: MoverDeps): MoveEvents {
  /** @returns `opened` if the batch only opened deliveries: then nothing in the feed leads to the rest */
  async function moveBatch(companyId: string): Promise<Moved | 'opened'> {
    const range = { prefix: OUTBOX_PREFIX, limit: MAX_MOVED, maxBytes: MAX_PAGE_BYTES };
    const { items, more } = await store.list(eventsPartition(companyId), range);
    if (items.length === 0) return 'all';
    // Read the end after the list. If another mover moves these events later, it changes the end.
    const end = await store.read(feedEndKey(companyId));
    const last = end && readFeedEnd(end.data);
    const destinations = last?.destinations ?? [];
    const listed = items.map((item): Pending => ({ item, record: readOutboxRecord(item.data) }));
    const { pending, positioned } = await inTurn(listed);
    for (const { record, position } of positioned) await open(companyId, record, position, destinations);
    const movable = byTime(pending);
    const done = movable.length + positioned.length;
    if (done === 0) return 'none';
    const needsDelivery = ({ record: { event, eventUrl } }: Pending) =>
      (eventUrl !== undefined && openDelivery !== undefined) || destinationsOf(event, destinations).length > 0;
    const isLast = !more && done === listed.length && !movable.some(needsDelivery);
    const batch = { movable, end, last, isLast, needsDelivery };
    const writes = [...moveWrites(companyId, batch), ...positioned.map(removal)];
    const { ok } = await store.commit({ writes }).catch(NOT_MOVED);
    if (!ok) return 'none';
    if (isLast) return 'all';
    return movable.length > 0 ? 'some' : 'opened';
  }

  /** Returns the destinations at which results may be due after an event. Each must also forget a deleted project. */
  function destinationsOf({ type }: OutboxRecord['event'], all: readonly FeedDestination[]) {
    if (!openResult) return [];
    return all.filter(({ on }) => on.includes(type) || type === 'project.deleted');
  }

  /** Opens the deliveries of an event of the feed: to the receiver of its project, and to destinations. */
  async function open(
    companyId: string,
    { event, eventUrl }: OutboxRecord,
    position: number,
    all: readonly FeedDestination[],
  ): Promise<void> {
    const toSend = { companyId, traceId: event.traceId, event: publishedEvent(atPosition(event, position)) };
    if (eventUrl !== undefined) await openDelivery?.({ ...toSend, eventUrl });
    for (const { id, name } of destinationsOf(event, all)) await openResult?.({ ...toSend, destination: { id, name } });
  }

  /** Returns the events whose turn it is: all events of their projects before them are done, or listed before them. */
  async function inTurn(listed: readonly Pending[]): Promise<EventsInTurn> {
    const events: EventsInTurn = { pending: [], positioned: [] };
    const nextOf = new Map<number, number>();
    for (const each of listed) {
      const { event, position } = each.record;
      const { projectId, sequence } = event;
      const next = nextOf.get(projectId) ?? (await firstInTurn(each.record));
      nextOf.set(projectId, sequence === next ? next + 1 : next);
      if (sequence !== next) continue;
      if (position === undefined) events.pending.push(each);
      else events.positioned.push({ ...each, position });
    }
    return events;
  }

  /**
   * Returns the sequence number of a listed event if it is its turn, and otherwise a lower one. A list is no snapshot: it
   * may have missed the event before, which was committed first. Then that event is in the outbox now. An event gets no
   * position before it has one, and no delivery before it has left.
   */
  async function firstInTurn({ event, position }: OutboxRecord): Promise<number> {
    const { companyId, projectId, sequence } = event;
    const previous = { projectId, sequence: sequence - 1 };
    const before = sequence === 1 ? undefined : await store.read(outboxKey(companyId, previous));
    if (!before) return sequence;
    const isDone = position === undefined && readOutboxRecord(before.data).position !== undefined;
    return isDone ? sequence : previous.sequence;
  }

  /** Makes the writes that move events from the outbox to the positions after a feed's end. */
  function moveWrites(companyId: string, { movable, end, last, isLast, needsDelivery }: Batch): Write[] {
    if (movable.length === 0) return [];
    const expiresAtMs = Math.max(last?.expiresAtMs ?? 0, now() + retentionMsOf('event'));
    const first = (last?.position ?? 0) + 1;
    const data: FeedEnd = { ...last, position: first + movable.length - 1, expiresAtMs };
    const key = feedEndKey(companyId);
    const moved = movable.flatMap((pending, index): Write[] => {
      const { item, record } = pending;
      const position = first + index;
      const hasMore = !isLast && index === movable.length - 1;
      const inFeed: FeedRecord = { position, event: atPosition(record.event, position), ...(hasMore && { hasMore }) };
      return [
        { kind: 'put', key: { partition: item.partition, sort: feedSort(position) }, data: inFeed, expiresAtMs },
        needsDelivery(pending)
          ? { kind: 'replace', ...placeOf(item), data: { ...record, position } satisfies OutboxRecord }
          : removal(pending),
      ];
    });
    return [end ? { kind: 'replace', key, version: end.version, data } : { kind: 'insert', key, data }, ...moved];
  }

  return async (companyId, deadline, maxBatches = Number.POSITIVE_INFINITY) => {
    let moved: Moved = 'none';
    for (let batches = 0; batches < maxBatches && deadline.remainingMs() > 0; ) {
      const batch = await moveBatch(companyId);
      if (batch === 'all') return batch;
      if (batch === 'some') moved = batch;
      if (batch !== 'opened') batches++;
      // Without this pause, no other request would run: a store in this process answers at once.
      await nextTurn();
    }
    return moved;
  };
}

/** Listed events whose turn it is. */
interface EventsInTurn {
  /** Events without a position. */
  readonly pending: Pending[];
  /** Events of the feed whose deliveries may not be open yet. */
  readonly positioned: (Pending & { readonly position: number })[];
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
  readonly last: FeedEnd | undefined;
  /** Whether the outbox has no more events. */
  readonly isLast: boolean;
  /** Whether a delivery is opened for an event. */
  readonly needsDelivery: (pending: Pending) => boolean;
}

/** Makes the write that removes an event from the outbox. The URL of a receiver must not stay in the files of the store. */
function removal({ item, record: { eventUrl } }: Pending): Write {
  return { kind: 'remove', ...placeOf(item), erase: eventUrl !== undefined };
}

function placeOf({ partition, sort, version }: Item) {
  return { key: { partition, sort }, version };
}
