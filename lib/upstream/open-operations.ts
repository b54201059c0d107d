import * as z from 'zod/mini';
import type { Item, Key, ListedStore, Write } from '../storage/port.ts';
import { eachItem } from '../storage/port.ts';

/** What a mark says beside its key. */
const Mark = z.strictObject({
  /** Since when the operation has been open, in milliseconds since 1970. */
  sinceMs: z.number(),
});

/** An operation of a company whose end is not known yet. */
export interface OpenOperation {
  readonly companyId: string;
  readonly operationId: string;
}

/** Several partitions, since one alone would have to take every creation. */
const SHARDS = 16;
const partitionOf = (shard: number) => `open-operations/${String(shard)}`;

/** Marks an operation for whoever finishes what others left; it belongs to the claim. */
export function markOpen(operation: OpenOperation, sinceMs: number): Write {
  return { kind: 'insert', key: keyOf(operation), data: { sinceMs } satisfies z.infer<typeof Mark> };
}

/** Takes the mark away; it belongs to the result, or to the failure. */
export function unmark(operation: OpenOperation): Write {
  return { kind: 'remove', key: keyOf(operation), version: 1 };
}

/** An operation with its mark. */
export type MarkedOperation = OpenOperation & z.infer<typeof Mark>;

/** Every operation that is open, those of the requests among them that are being worked on. */
export async function* openOperations(storage: Pick<ListedStore, 'list'>): AsyncGenerator<MarkedOperation> {
  for (let shard = 0; shard < SHARDS; shard++) {
    for await (const item of eachItem(storage, partitionOf(shard), '')) yield readMark(item);
  }
}

function readMark({ sort, data }: Item): MarkedOperation {
  const slash = sort.indexOf('/');
  return { companyId: sort.slice(0, slash), operationId: sort.slice(slash + 1), ...Mark.parse(data) };
}

function keyOf({ companyId, operationId }: OpenOperation): Key {
  return { partition: partitionOf(operationId.charCodeAt(0) % SHARDS), sort: `${companyId}/${operationId}` };
}
