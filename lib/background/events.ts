import { DomainEvent } from '../contract/event.ts';
import { failureFields, type Log, logToStandardError } from '../service/log.ts';
import { answerTo, type Inserted, insertedIn, type StreamAnswer } from './stream.ts';

/** Where what happened is recorded, and where others hear of it. */
export interface Events {
  /** The record of an event; `undefined` where it is there no more. */
  read(key: { readonly partition: string; readonly sort: string }): Promise<{ readonly data: unknown } | undefined>;
  /** Puts events where others listen, up to ten at once. */
  publish(events: readonly DomainEvent[]): Promise<Published>;
}

/** How many of the events were taken before the first that was not, and why that was not. */
export interface Published {
  readonly taken: number;
  readonly failure?: unknown;
}

/** As many as a bus takes at once. */
const AT_ONCE = 10;

/**
 * Makes the publisher of what happened, as the records say that were committed with it. Each event is put at least once,
 * and in order but for the ten that are put together.
 */
export function eventPublisher(
  events: Events,
  { now, log = logToStandardError }: { readonly now: () => number; readonly log?: Log },
): (event: unknown, context: { readonly awsRequestId: string }) => Promise<StreamAnswer> {
  return async (event, { awsRequestId: requestId }) => {
    const began = now();
    const base = { operation: 'publishEvents', requestId };
    try {
      const records = insertedIn(event);
      const { taken, failure } = await publishFirst(events, records);
      const left = records.length - taken;
      log({ ...base, durationMs: now() - began, left, ...(failure !== undefined && failureFields(failure)) });
      return answerTo(records.slice(taken));
    } catch (error) {
      log({ ...base, durationMs: now() - began, ...failureFields(error) });
      throw error;
    }
  };
}

/**
 * Puts events until one fails: those after it are put with it, when the stream asks again.
 * @throws where nothing could be put: then the stream halves what it gives, until what fails is alone
 */
async function publishFirst(events: Events, records: readonly Inserted[]): Promise<Published> {
  let taken = 0;
  while (taken < records.length) {
    const batch = records.slice(taken, taken + AT_ONCE);
    try {
      const published = await publishBatch(events, batch);
      taken += published.taken;
      if (published.taken < batch.length) return { ...published, taken };
    } catch (failure) {
      if (taken === 0) throw failure;
      return { taken, failure };
    }
  }
  return { taken };
}

async function publishBatch(events: Events, batch: readonly Inserted[]): Promise<Published> {
  const found = await Promise.all(batch.map((record) => events.read(record)));
  // Of a record that somebody removed there is nothing to be told.
  const known = found.flatMap((item, index) => (item ? [{ index, event: DomainEvent.parse(item.data) }] : []));
  if (known.length === 0) return { taken: batch.length };
  const published = await events.publish(known.map(({ event }) => event));
  return { ...published, taken: known[published.taken]?.index ?? batch.length };
}
