import type { Key } from '../../../lib/storage/port.ts';

/** Returns the event of a table's stream for these items. */
export function streamOf(keys: readonly Key[], eventName: 'INSERT' | 'MODIFY' | 'REMOVE' = 'INSERT'): unknown {
  return {
    Records: keys.map(({ partition, sort }, index) => ({
      eventName,
      dynamodb: {
        SequenceNumber: String(index + 1),
        Keys: { partition: { S: partition }, sort: { S: sort } },
        StreamViewType: 'KEYS_ONLY',
      },
    })),
  };
}

/** Returns the answer that makes a stream repeat the records from `first` to `last`, counted from 1. */
export const againFrom = (first: number, last: number) => ({
  batchItemFailures: Array.from({ length: last - first + 1 }, (_, index) => ({
    itemIdentifier: String(first + index),
  })),
});

export const DONE = { batchItemFailures: [] };
