import * as z from 'zod/mini';
import type { Item, Key, Write } from '../port.ts';
import { recordOf } from '../record.ts';
import { shardsOf } from '../shards.ts';

/** The partitions of sweep markers. Each marker tells the sweeper to check one object. */
export const SWEEP_MARKERS = shardsOf('sweep');

/**
 * How long after its creation a marker becomes due, in milliseconds. No Lambda invocation runs as long, so the
 * transaction that needs the object has ended by then.
 */
const PENDING_MS = 20 * 60_000;
/**
 * The age at which a writer's marker counts as late, in milliseconds. A sweeper with another clock may have started to
 * process a late marker already.
 */
const LATE_MS = 15 * 60_000;
/**
 * How long after the sweep of a pending marker the sweeper looks for its object again, in milliseconds. A writer that
 * Lambda froze cannot wake up later than that, because Lambda ends each execution environment within hours.
 */
export const SECOND_LOOK_MS = 24 * 3_600_000;

/**
 * The schema of a marker, which tells the sweeper to check an object. The sweeper removes the object if no item refers
 * to it. A marker is written before its object. The transaction that stores the object's name in an item removes the
 * marker. The transaction that removes the name from the item adds a new marker.
 */
const SweepMarker = recordOf(() => ({
  /** The partition of the item that the object was written for. */
  partition: z.string(),
  /** The sort key of the item that the object was written for. */
  sort: z.string(),
  /** When the sweeper checks the object, in milliseconds since 1970. */
  dueMs: z.int(),
  /** Whether a frozen writer may still write the object after `dueMs`. */
  isPending: z.optional(z.literal(true)),
}));
type SweepMarker = z.infer<typeof SweepMarker>;

/** Returns the storage key of an object's marker. */
export function markerKey(object: string): Key {
  return { partition: SWEEP_MARKERS.partitionOf(object), sort: object };
}

/**
 * Parses the item of a sweep marker, or of a second look (see `SECOND_LOOKS`), which has the same shape.
 * @throws if the item has another shape
 */
export function readMarker(item: Item): SweepMarker {
  return SweepMarker.parse(item.data);
}

/** Makes the write that adds a marker for a new object. Commit it before you write the object. */
export function pendingMarker(object: string, { partition, sort }: Key, nowMs: number): Write {
  const data: SweepMarker = { partition, sort, dueMs: nowMs + PENDING_MS, isPending: true };
  return { kind: 'insert', key: markerKey(object), data };
}

/** Whether a marker is so old that a sweeper may have started to process it. */
export function isLate(markedAtMs: number, nowMs: number): boolean {
  return nowMs - markedAtMs >= LATE_MS;
}

/**
 * Makes the write that removes a marker. Commit it together with the write that stores the object's name in an item.
 * The store refuses both if a sweeper has started to process the marker.
 */
export function removeMarker(object: string): Write {
  return { kind: 'remove', key: markerKey(object), version: 1 };
}

/**
 * Makes the write that adds a marker for an object that an item no longer needs. Commit it together with the write that
 * replaces or removes the item.
 */
export function droppedMarker(object: string, { partition, sort }: Key, nowMs: number): Write {
  const data: SweepMarker = { partition, sort, dueMs: nowMs };
  return { kind: 'insert', key: markerKey(object), data };
}

/**
 * The partitions of second looks. A writer that Lambda froze may write its object after the sweep of its marker. So the
 * sweeper looks for the object a second time. The sort keys are in order of time, so that a sweep reads only second
 * looks that are due.
 */
export const SECOND_LOOKS = shardsOf('sweep-again');

/**
 * Makes the write that adds a second look.
 * @param key the key of the item that the object was written for
 */
export function secondLook(object: string, { partition, sort }: Key, dueMs: number): Write {
  const key = { partition: SECOND_LOOKS.partitionOf(object), sort: `${timeText(dueMs)}/${object}` };
  const data: SweepMarker = { partition, sort, dueMs };
  return { kind: 'put', key, data };
}

/** Returns the upper bound of the sort keys of second looks that are due. */
export function secondLooksBefore(nowMs: number): string {
  return timeText(nowMs + 1);
}

/** Returns the name of the object in the key of a second look. */
export function objectOfLook({ sort }: Key): string {
  return sort.slice(sort.indexOf('/') + 1);
}

/** The version of a marker that comes from a second look. A late transaction of a writer requires version 1. */
const AFTER_SWEEP = 2;

/**
 * Makes the write that adds a marker for the object of a second look. The sweep then handles the marker like any other.
 */
export function markerAgain(object: string, marker: SweepMarker): Write {
  return { kind: 'put', key: markerKey(object), data: marker, firstVersion: AFTER_SWEEP };
}

/** Writes a time with 13 digits, so that the order of the texts is the order of the times until the year 2286. */
function timeText(ms: number): string {
  return String(ms).padStart(13, '0');
}
