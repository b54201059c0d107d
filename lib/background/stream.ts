import * as z from 'zod/mini';

const Text = z.object({ S: z.string() });

/** The parts of a DynamoDB stream's event that are read. The stream has the keys of changed items only. */
const StreamEvent = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      dynamodb: z.object({ SequenceNumber: z.string(), Keys: z.object({ partition: Text, sort: Text }) }),
    }),
  ),
});

/** An inserted item. */
export interface InsertedItem {
  readonly sequenceNumber: string;
  readonly partition: string;
  readonly sort: string;
}

/** The response to a batch from a DynamoDB stream. Lambda sends the first failed record and every record after it again. */
export interface StreamResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** Whether an event comes from a stream. */
export function isStreamEvent(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'Records' in event;
}

/** The items that a stream's event reports as inserted. @throws if the event is no stream's */
export function insertedIn(event: unknown): InsertedItem[] {
  return StreamEvent.parse(event)
    .Records.filter(({ eventName }) => eventName === 'INSERT')
    .map(({ dynamodb: { SequenceNumber, Keys } }) => ({
      sequenceNumber: SequenceNumber,
      partition: Keys.partition.S,
      sort: Keys.sort.S,
    }));
}

/** The result for a stream after some of its items failed. */
export function streamResult(failed: readonly InsertedItem[]): StreamResult {
  return { batchItemFailures: failed.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
}
