import * as z from 'zod/mini';
import type { Item, Key, Write } from '../port.ts';

/** The partition of all marks. */
export const SWEEP = 'sweep';

/** Longer than any function runs: an object whose transaction has not come by then has none. */
const PENDING_MS = 20 * 60_000;

/**
 * A mark says that an object of the bucket may have to be removed, and when to look: it is written before the object,
 * removed by the transaction that makes an item name it, and written again by the one that ends that.
 */
const Mark = z.strictObject({
  /** The item whose payload the object is, or was to be. */
  partition: z.string(),
  sort: z.string(),
  /** When to look, in milliseconds since 1970. */
  dueMs: z.int(),
});
export type Mark = z.infer<typeof Mark>;

export function markKey(object: string): Key {
  return { partition: SWEEP, sort: object };
}

export function readMark(item: Item): Mark {
  return Mark.parse(item.data);
}

/** Before an object is written. */
export function markPending(object: string, { partition, sort }: Key, nowMs: number): Write {
  const data: Mark = { partition, sort, dueMs: nowMs + PENDING_MS };
  return { kind: 'insert', key: markKey(object), data };
}

/** With the transaction that makes an item name the object. It is refused where a sweeper has taken the mark. */
export function unmark(object: string): Write {
  return { kind: 'remove', key: markKey(object), version: 1 };
}

/** With the transaction after which no item names the object any more. */
export function markDropped(object: string, { partition, sort }: Key, nowMs: number): Write {
  const data: Mark = { partition, sort, dueMs: nowMs };
  return { kind: 'insert', key: markKey(object), data };
}
