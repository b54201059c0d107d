import * as z from 'zod/mini';
import type { AlertCode } from '../contract/alerts.ts';
import type { DueWorker } from '../deliveries/due-worker.ts';
import { logToStandardError } from '../service/log.ts';
import type { Key } from '../storage/port.ts';
import type { BackgroundFunction, BackgroundOptions, StreamResult } from './background-function.ts';
import { type DueFunction, dueHandler } from './delivery-handler.ts';

const Text = z.object({ S: z.string() });

/** The parts of a DynamoDB stream event that Segue reads. The stream contains only the keys of changed items. */
const StreamEvent = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      dynamodb: z.object({
        SequenceNumber: z.string(),
        Keys: z.object({ partition: Text, sort: Text }),
        /** In seconds since 1970. */
        ApproximateCreationDateTime: z.optional(z.number()),
      }),
    }),
  ),
});

/** The key of an item that was inserted into a table, and the sequence number of its stream record. */
export interface InsertedItem {
  readonly sequenceNumber: string;
  readonly partition: string;
  readonly sort: string;
}

/** Returns the items that a stream event reports as inserted. @throws if the event does not come from a stream */
export function insertedIn(event: unknown): InsertedItem[] {
  return StreamEvent.parse(event)
    .Records.filter(({ eventName }) => eventName === 'INSERT')
    .map(({ dynamodb: { SequenceNumber, Keys } }) => ({
      sequenceNumber: SequenceNumber,
      partition: Keys.partition.S,
      sort: Keys.sort.S,
    }));
}

/** Creates the response to a stream event. Lambda resends the first failed item and all later items. */
export function streamResult(failed: readonly InsertedItem[]): StreamResult {
  return { batchItemFailures: failed.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
}

/**
 * Returns how long the last record of a stream event has waited for its function, in milliseconds; 0 for an event of
 * another kind.
 */
function lagOf(event: unknown, nowMs: number): number {
  const last = StreamEvent.safeParse(event).data?.Records.at(-1)?.dynamodb.ApproximateCreationDateTime;
  return last === undefined ? 0 : nowMs - last * 1_000;
}

/** How long a record of a stream may wait for its function, in milliseconds. */
const MAX_LAG_MS = 600_000;

/**
 * Adds an alert to each call of a function whose stream records have waited too long. The alert is logged before the
 * call, so also if the call fails.
 */
export function alertIfLate<Result, Context extends { readonly awsRequestId: string }>(
  operation: string,
  alert: AlertCode,
  run: BackgroundFunction<Result, Context>,
  { now, log = logToStandardError }: BackgroundOptions,
): BackgroundFunction<Result, Context> {
  return (event, context) => {
    const lagMs = lagOf(event, now());
    if (lagMs >= MAX_LAG_MS) log({ operation, requestId: context.awsRequestId, alert, durationMs: 0, lagMs });
    return run(event, context);
  };
}

/**
 * How long attempts at the entries of one event of a stream may go on, in milliseconds. The stream holds back its later
 * events meanwhile, which may be of other companies. A run from the schedule makes the attempts that are left.
 */
const STREAM_MS = 25_000;

/** The Lambda function of a worker to which the DynamoDB stream brings new entries. */
interface StreamFunction<Ref> extends Pick<DueFunction<Ref>, 'operation' | 'alerts'> {
  /** Returns the entry whose state has this key; `undefined` if the key is not that of a state. */
  readonly refAt: (key: Key) => Ref | undefined;
}

/** Makes the Lambda handler of a worker to which the DynamoDB stream brings new entries. */
export function streamHandler<Ref>(
  { operation, alerts, refAt }: StreamFunction<Ref>,
  worker: DueWorker<Ref>,
  options: BackgroundOptions,
): BackgroundFunction<StreamResult | undefined> {
  const entriesIn = (event: unknown) => insertedIn(event).map((key) => ({ id: key.sequenceNumber, ref: refAt(key) }));
  const limitsMs = { event: STREAM_MS };
  const run = dueHandler({ operation, alerts, entriesIn, margin: 'result', limitsMs }, worker, options);
  return alertIfLate(operation, 'stream-late', run, options);
}
