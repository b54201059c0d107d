import * as z from 'zod/mini';
import type { Item, Key, Write } from '../port.ts';

/** The partition of all marks. */
export const SWEEP_MARKERS = 'sweep';

/** Longer than any function runs: an object whose transaction has not come by then has none. */
const PENDING_MS = 20 * 60_000;
/** An attempt whose mark is older is late: a sweeper, whose clock may differ, may have taken the mark. */
const LATE_MS = 15 * 60_000;
/**
 * How long after an unwritten object was swept the sweeper looks again. Longer than a frozen function can live: Lambda
 * ends each execution environment within hours.
 */
export const SECOND_LOOK_MS = 24 * 3_600_000;

/**
 * A mark says that an object of the bucket may have to be removed, and when to look: it is written before the object,
 * removed by the transaction that makes an item name it, and written again by the one that ends that.
 */
const SweepMarker = z.strictObject({
  /** The item whose payload the object is, or was to be. */
  partition: z.string(),
  sort: z.string(),
  /** When to look, in milliseconds since 1970. */
  dueMs: z.int(),
  /** The object may be written after the look. */
  isPending: z.optional(z.literal(true)),
});
export type SweepMarker = z.infer<typeof SweepMarker>;

export function markerKey(object: string): Key {
  return { partition: SWEEP_MARKERS, sort: object };
}

export function readMarker(item: Item): SweepMarker {
  return SweepMarker.parse(item.data);
}

/** Before an object is written. */
export function pendingMarker(object: string, { partition, sort }: Key, nowMs: number): Write {
  const data: SweepMarker = { partition, sort, dueMs: nowMs + PENDING_MS, isPending: true };
  return { kind: 'insert', key: markerKey(object), data };
}

/** Whether a sweeper may have taken the mark of an object. */
export function isLate(markedAtMs: number, nowMs: number): boolean {
  return nowMs - markedAtMs >= LATE_MS;
}

/** With the transaction that makes an item name the object. It is refused where a sweeper has taken the mark. */
export function removeMarker(object: string): Write {
  return { kind: 'remove', key: markerKey(object), version: 1 };
}

/** With the transaction after which no item names the object any more. */
export function droppedMarker(object: string, { partition, sort }: Key, nowMs: number): Write {
  const data: SweepMarker = { partition, sort, dueMs: nowMs };
  return { kind: 'insert', key: markerKey(object), data };
}

/**
 * The partition of second looks, ordered by time so that a sweep reads only those that are due. An attempt that was
 * frozen may write its object after its mark was swept, so the sweeper looks for the object once more.
 */
export const SECOND_LOOKS = 'sweep-again';

/** @param item whose payload the object was to be */
export function secondLook(object: string, { partition, sort }: Key, dueMs: number): Write {
  const key = { partition: SECOND_LOOKS, sort: `${timeText(dueMs)}/${object}` };
  const data: SweepMarker = { partition, sort, dueMs };
  return { kind: 'put', key, data };
}

/** The sort key after those of all second looks that are due. */
export function secondLooksBefore(nowMs: number): string {
  return timeText(nowMs + 1);
}

/** The object of a second look. */
export function objectOfLook({ sort }: Key): string {
  return sort.slice(sort.indexOf('/') + 1);
}

/** A version that no transaction of a writer expects, however late it arrives: each expects the first one. */
const AFTER_SWEEP = 2;

/** Makes a second look a mark, which the sweep then takes. */
export function markerAgain(object: string, mark: SweepMarker): Write {
  return { kind: 'put', key: markerKey(object), data: mark, firstVersion: AFTER_SWEEP };
}

/** As many digits as every time before the year 2286 has. */
function timeText(ms: number): string {
  return String(ms).padStart(13, '0');
}
