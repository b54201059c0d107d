import * as z from 'zod/mini';

const Text = z.object({ S: z.string() });

/** The parts of a DynamoDB stream's event that are read: the keys of items that were inserted. It has nothing more of them. */
const StreamEvent = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      dynamodb: z.object({ SequenceNumber: z.string(), Keys: z.object({ partition: Text, sort: Text }) }),
    }),
  ),
});

/** An item that was inserted. */
export interface Inserted {
  readonly sequenceNumber: string;
  readonly partition: string;
  readonly sort: string;
}

/** What a function answers to a stream: from which record on it is to be asked again. */
export interface StreamAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** Whether an event is a stream's. */
export function isStreamEvent(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'Records' in event;
}

/** @throws where the event is another's */
export function insertedIn(event: unknown): Inserted[] {
  return StreamEvent.parse(event)
    .Records.filter(({ eventName }) => eventName === 'INSERT')
    .map(({ dynamodb: { SequenceNumber, Keys } }) => ({
      sequenceNumber: SequenceNumber,
      partition: Keys.partition.S,
      sort: Keys.sort.S,
    }));
}

/** A stream asks again from the first record that failed. */
export function answerTo(failed: readonly Inserted[]): StreamAnswer {
  return { batchItemFailures: failed.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
}
