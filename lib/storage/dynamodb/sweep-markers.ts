import * as z from 'zod/mini';
import type { Item, Key, Write } from '../port.ts';

/** The partition of all markers. */
export const SWEEP_MARKERS = 'sweep';

/** Longer than any function runs: after that, the transaction of the object does not come any more. */
const PENDING_MS = 20 * 60_000;
/** An attempt with an older marker is late: a sweeper, whose clock may differ, may have taken the marker. */
const LATE_MS = 15 * 60_000;
/**
 * How long after the sweep of an unwritten object the sweeper looks for it again. This is longer than a frozen function
 * can live: Lambda ends each execution environment within hours.
 */
export const SECOND_LOOK_MS = 24 * 3_600_000;

/**
 * A marker tells the sweeper to look at an object of the bucket, which may have to be removed. It is written before the
 * object. The transaction that makes an item name the object removes it, and the one that drops the object adds it again.
 */
const SweepMarker = z.strictObject({
  /** The key of the item that has the object as its payload, or should have had. */
  partition: z.string(),
  sort: z.string(),
  /** When the sweeper looks, in milliseconds since 1970. */
  dueMs: z.int(),
  /** Whether the object may be written after that. */
  isPending: z.optional(z.literal(true)),
});
type SweepMarker = z.infer<typeof SweepMarker>;

/** The key of an object's marker. */
export function markerKey(object: string): Key {
  return { partition: SWEEP_MARKERS, sort: object };
}

/** Reads a marker or a second look. @throws if the item has another shape */
export function readMarker(item: Item): SweepMarker {
  return SweepMarker.parse(item.data);
}

/** Adds a marker. Commit it before the object is written. */
export function pendingMarker(object: string, { partition, sort }: Key, nowMs: number): Write {
  const data: SweepMarker = { partition, sort, dueMs: nowMs + PENDING_MS, isPending: true };
  return { kind: 'insert', key: markerKey(object), data };
}

/** Whether a sweeper may have taken the marker of an object. */
export function isLate(markedAtMs: number, nowMs: number): boolean {
  return nowMs - markedAtMs >= LATE_MS;
}

/** Removes a marker. Commit it with the change that makes an item name the object: refused if a sweeper has taken it. */
export function removeMarker(object: string): Write {
  return { kind: 'remove', key: markerKey(object), version: 1 };
}

/** Adds a marker. Commit it with the change after which no item names the object. */
export function droppedMarker(object: string, { partition, sort }: Key, nowMs: number): Write {
  const data: SweepMarker = { partition, sort, dueMs: nowMs };
  return { kind: 'insert', key: markerKey(object), data };
}

/**
 * The partition of second looks, ordered by time so that a sweep reads only those that are due. A frozen attempt may
 * write its object after the sweep of its marker, so the sweeper looks for the object once more.
 */
export const SECOND_LOOKS = 'sweep-again';

/** Adds a second look. @param key of the item that should have had the object */
export function secondLook(object: string, { partition, sort }: Key, dueMs: number): Write {
  const key = { partition: SECOND_LOOKS, sort: `${timeText(dueMs)}/${object}` };
  const data: SweepMarker = { partition, sort, dueMs };
  return { kind: 'put', key, data };
}

/** The first sort key of second looks that are not due. */
export function secondLooksBefore(nowMs: number): string {
  return timeText(nowMs + 1);
}

/** The object of a second look. */
export function objectOfLook({ sort }: Key): string {
  return sort.slice(sort.indexOf('/') + 1);
}

/** No late transaction of a writer expects this version: each expects the first one. */
const AFTER_SWEEP = 2;

/** Adds a marker for a second look, which the sweep then takes. */
export function markerAgain(object: string, marker: SweepMarker): Write {
  return { kind: 'put', key: markerKey(object), data: marker, firstVersion: AFTER_SWEEP };
}

/** Writes a time with 13 digits, as every time before the year 2286 has, so that texts are in the order of times. */
function timeText(ms: number): string {
  return String(ms).padStart(13, '0');
}
