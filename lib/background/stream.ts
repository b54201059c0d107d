import * as z from 'zod/mini';

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

/** The response to a batch from a DynamoDB stream. Lambda resends the first failed record and all later records. */
export interface StreamResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
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
export function lagOf(event: unknown, nowMs: number): number {
  const last = StreamEvent.safeParse(event).data?.Records.at(-1)?.dynamodb.ApproximateCreationDateTime;
  return last === undefined ? 0 : nowMs - last * 1_000;
}
