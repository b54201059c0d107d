import type { DomainEvent } from '../contract/event.ts';
import { JOBS, type JobRef } from '../deliveries/jobs.ts';
import { FEED_PREFIX, type FeedRecord, readFeedRecord } from '../records/feed-record.ts';
import { OUTBOX_PREFIX } from '../records/outbox.ts';
import { logToStandardError } from '../service/log.ts';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  type StreamResult,
} from './background-function.ts';
import { alertIfLate, type InsertedItem, insertedIn, streamResult } from './stream.ts';

/** Moves and reads recorded events, publishes events to the event bus, and puts jobs on their queue. */
export interface Events {
  /**
   * Moves events from the outbox of a company's partition to the feed, which makes a record of each.
   * @param wanted whether to move only some, or as many as there is time for
   * @returns which were moved
   */
  readonly move: (partition: string, wanted: 'all' | 'some') => Promise<'all' | 'some' | 'none'>;
  /** Reads the record of an event in the feed; `undefined` if it has expired. */
  readonly read: (key: {
    readonly partition: string;
    readonly sort: string;
  }) => Promise<{ readonly data: unknown } | undefined>;
  /** Publishes up to ten events. Absent if there is no event bus: the events then stay recorded. */
  readonly publish?: ((events: readonly DomainEvent[]) => Promise<Published>) | undefined;
  /** Puts jobs on their queue. Absent if the service has no jobs. */
  readonly queueJobs?: ((jobs: readonly JobRef[]) => Promise<void>) | undefined;
}

/** The result of publishing events. */
export interface Published {
  /** How many events were published before the first failed event. */
  readonly taken: number;
  /** The error of the first failed event; absent if all events were published. */
  readonly failure?: unknown;
}

/** Reads recorded events, and publishes them. */
interface Bus extends Pick<Events, 'read'> {
  readonly publish: NonNullable<Events['publish']>;
}

/** The maximum number of events that the event bus accepts in one request. */
const AT_ONCE = 10;

/**
 * Creates the function that publishes project events to the event bus. For new events in an outbox, it first moves them
 * to the feed of their company: this makes their records, which the stream then passes to this function again. Each event is published at least once. One
 * request to the event bus contains up to ten events. Requests are in order, but the events in one request may not be.
 * The function also puts new jobs on their queue, because a stream has room for few functions.
 */
export function eventPublisher(
  events: Events,
  options: BackgroundOptions,
): BackgroundFunction<StreamResult, { readonly awsRequestId: string }> {
  const { log = logToStandardError } = options;
  const logPublished = ({ requestId, traceId, companyId }: DomainEvent) =>
    log({ operation: 'published', requestId, traceId, companyId, durationMs: 0 });
  const run = backgroundFunction<StreamResult, { readonly awsRequestId: string }>(
    'publishEvents',
    async (event) => {
      const inserted = insertedIn(event);
      const queueFailure = await queueDue(events, inserted, options.now());
      const pending = inserted.filter(({ sort }) => sort.startsWith(OUTBOX_PREFIX));
      await moveSome(events, new Set(pending.map(({ partition }) => partition)));
      const records = inserted.filter(({ sort }) => sort.startsWith(FEED_PREFIX));
      if (!events.publish) return { result: streamResult([]), counts: { left: 0 }, failure: queueFailure };
      const bus = { read: events.read, publish: events.publish };
      const unmoved = new Set<string>();
      const { taken, failure = queueFailure } = await publishFirst(
        bus,
        records,
        ({ partition }, { hasMore, event: published }) => {
          if (hasMore) unmoved.add(partition);
          logPublished(published);
        },
      );
      await moveSome(events, unmoved);
      return { result: streamResult(records.slice(taken)), counts: { left: records.length - taken }, failure };
    },
    options,
  );
  return alertIfLate('publishEvents', 'events-late', run, options);
}

/**
 * Moves some events of each company, so that one with many events does not delay the others. The record of the last of
 * them says whether there are more, and comes with the stream later. Without a bus nobody reads it, so all are moved.
 * @throws if a move fails, or events are left and no record leads to them
 */
async function moveSome({ move, publish }: Events, partitions: ReadonlySet<string>): Promise<void> {
  const moves = Array.from(partitions, (partition) => move(partition, publish ? 'some' : 'all'));
  for (const end of await Promise.allSettled(moves)) {
    if (end.status === 'rejected') throw end.reason;
    const isFound = end.value === 'all' || (end.value === 'some' && publish);
    if (!isFound) throw new RangeError('The outbox of a company is not empty yet');
  }
}

/**
 * Puts the new jobs that are due on their queue. A job that does not get there does not hold up events: a scheduled run
 * finds it a minute later.
 * @returns the failure, to be logged
 */
async function queueDue({ queueJobs }: Events, inserted: readonly InsertedItem[], nowMs: number): Promise<unknown> {
  const jobs = inserted.flatMap((record) => JOBS.entryAt(record) ?? []).filter(({ atMs }) => JOBS.isDue(atMs, nowMs));
  if (!queueJobs || jobs.length === 0) return undefined;
  try {
    return await queueJobs(jobs);
  } catch (failure) {
    return failure;
  }
}

/** Called for each event that was published. */
type OnPublished = (key: InsertedItem, record: FeedRecord) => void;

/**
 * Publishes events until one fails. Lambda then sends the failed event and all later events again.
 * @throws if the first request fails as a whole: Lambda then halves the batch, until it contains only the failing event
 */
async function publishFirst(bus: Bus, records: readonly InsertedItem[], onPublished: OnPublished): Promise<Published> {
  let taken = 0;
  while (taken < records.length) {
    const batch = records.slice(taken, taken + AT_ONCE);
    try {
      const published = await publishBatch(bus, batch, onPublished);
      taken += published.taken;
      if (published.taken < batch.length) return { ...published, taken };
    } catch (failure) {
      if (taken === 0) throw failure;
      return { taken, failure };
    }
  }
  return { taken };
}

async function publishBatch(
  { read, publish }: Bus,
  batch: readonly InsertedItem[],
  onPublished: OnPublished,
): Promise<Published> {
  const found = await Promise.all(batch.map((record) => read(record)));
  // A deleted record has no event to publish.
  const known = found.flatMap((item, index) => (item ? [{ index, record: readFeedRecord(item.data) }] : []));
  if (known.length === 0) return { taken: batch.length };
  const published = await publish(known.map(({ record }) => record.event));
  for (const { index, record } of known.slice(0, published.taken)) {
    const key = batch[index];
    if (key) onPublished(key, record);
  }
  return { ...published, taken: known[published.taken]?.index ?? batch.length };
}
