import * as z from 'zod/mini';

/** The parts of a DynamoDB stream's event that are read: what was inserted. */
const StreamEvent = z.object({
  Records: z.array(
    z.object({
      dynamodb: z.object({
        SequenceNumber: z.string(),
        NewImage: z.optional(z.object({ sort: z.object({ S: z.string() }), data: z.object({ S: z.string() }) })),
      }),
    }),
  ),
});

/** An item that was inserted. */
export interface Inserted {
  readonly sequenceNumber: string;
  readonly sort: string;
  /** JSON. */
  readonly data: string;
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
  return StreamEvent.parse(event).Records.flatMap(({ dynamodb: { SequenceNumber, NewImage } }) =>
    NewImage ? [{ sequenceNumber: SequenceNumber, sort: NewImage.sort.S, data: NewImage.data.S }] : [],
  );
}

/** A stream asks again from the first record that failed. */
export function answerTo(failed: readonly Inserted[]): StreamAnswer {
  return { batchItemFailures: failed.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
}
