import type { DomainEvent } from '../contract/event.ts';
import { logToStandardError } from '../service/log.ts';
import { StoredEventRecord } from '../storage/contract-records.ts';
import { type BackgroundFunction, type BackgroundOptions, backgroundFunction } from './background-function.ts';
import { JOBS, type JobRef } from './job-list.ts';
import { alertIfLate } from './late-stream.ts';
import { type InsertedItem, insertedIn, type StreamResult, streamResult } from './stream.ts';

/** Moves and reads recorded events, publishes events to the event bus, and puts jobs on their queue. */
export interface Events {
  /**
   * Moves the events in the outbox of a company's partition, which makes a record of each event.
   * @throws if events are left
   */
  move(partition: string): Promise<void>;
  /** Reads the record of an event; `undefined` if it was deleted. */
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

/** The beginning of the sort keys of the outbox. All other keys are those of recorded events and of jobs. */
const OUTBOX = 'outbox/';

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
      const pending = inserted.filter(({ sort }) => sort.startsWith(OUTBOX));
      for (const partition of new Set(pending.map((record) => record.partition))) await events.move(partition);
      const records = inserted.filter((record) => !record.sort.startsWith(OUTBOX) && !JOBS.refAt(record));
      if (!events.publish) return { result: streamResult([]), counts: { left: 0 }, failure: queueFailure };
      const bus = { read: events.read, publish: events.publish };
      const { taken, failure = queueFailure } = await publishFirst(bus, records, logPublished);
      return { result: streamResult(records.slice(taken)), counts: { left: records.length - taken }, failure };
    },
    options,
  );
  return alertIfLate('publishEvents', 'events-late', run, options);
}

/**
 * Puts the new jobs that are due on their queue. A job that does not get there does not hold up events: a scheduled run
 * finds it a minute later.
 * @returns the failure, to be logged
 */
async function queueDue({ queueJobs }: Events, inserted: readonly InsertedItem[], nowMs: number): Promise<unknown> {
  const jobs = inserted.flatMap((record) => JOBS.refAt(record) ?? []).filter(({ atMs }) => atMs <= nowMs);
  if (!queueJobs || jobs.length === 0) return undefined;
  try {
    return await queueJobs(jobs);
  } catch (failure) {
    return failure;
  }
}

/**
 * Publishes events until one fails. Lambda then sends the failed event and all later events again.
 * @throws if the first request fails as a whole: Lambda then halves the batch, until it contains only the failing event
 */
async function publishFirst(
  bus: Bus,
  records: readonly InsertedItem[],
  onPublished: (event: DomainEvent) => void,
): Promise<Published> {
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
  onPublished: (event: DomainEvent) => void,
): Promise<Published> {
  const found = await Promise.all(batch.map((record) => read(record)));
  // A deleted record has no event to publish.
  const known = found.flatMap((item, index) => (item ? [{ index, event: eventIn(item.data) }] : []));
  if (known.length === 0) return { taken: batch.length };
  const published = await publish(known.map(({ event }) => event));
  for (const { event } of known.slice(0, published.taken)) onPublished(event);
  return { ...published, taken: known[published.taken]?.index ?? batch.length };
}

/** Returns the event of a record, without its position in the feed. */
function eventIn(data: unknown): DomainEvent {
  const { position: _, ...event } = StoredEventRecord.parse(data);
  return event;
}
