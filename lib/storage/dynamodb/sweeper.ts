import { storeUnavailable } from '../../contract/failures.ts';
import type { Key, Write } from '../port.ts';
import type { Shards } from '../shards.ts';
import type { DynamoDb } from './client.ts';
import { dynamoDbItems, itemOf, type StoredPage, type StoredRange, storedPages } from './items.ts';
import type { Objects } from './objects.ts';
import { storedObject } from './payload.ts';
import {
  markerAgain,
  markerKey,
  objectOfLook,
  readMarker,
  SECOND_LOOK_MS,
  SECOND_LOOKS,
  SWEEP_MARKERS,
  secondLook,
  secondLooksBefore,
} from './sweep-markers.ts';

/** The dependencies of the sweeper. */
export interface SweeperOptions {
  readonly table: string;
  readonly client: DynamoDb;
  readonly objects: Objects;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The result of a sweep. */
export interface Swept {
  /** The number of removed objects. */
  readonly removed: number;
  /** The number of due objects that the sweep left. There may be more, if there was no time to read all markers. */
  readonly left: number;
  /** How long the oldest object in `left` has been due, in milliseconds. */
  readonly oldestMs: number;
  /** The first error of the sweep. A lack of time is an error only if it kept the sweep from reading all markers. */
  readonly failure?: unknown;
}

/** A marker or second look that is due. */
interface Due extends Key {
  /** When it became due, in milliseconds since 1970; 0 if it cannot be parsed. */
  readonly sinceMs: number;
}

/**
 * Removes objects that no item refers to. Each object to check has a marker in the table, and the sweep starts with the
 * markers that have been due the longest. A sweep may be killed at any point, and several may run at once, because a
 * marker stays in the table until its object has been checked.
 * @param isTimeLeft whether the sweep may go on; called before each step, except before the first page of each
 *   partition of markers is read
 * @throws {Problem} `unavailable` if the markers cannot be read
 */
export async function sweep(options: SweeperOptions, isTimeLeft: () => boolean): Promise<Swept> {
  const left: Due[] = [];
  let failure: unknown;

  /** Does the work of each due marker. Returns the number of markers whose work is done. */
  async function doEach({ due, isWhole }: Found, work: (due: Due) => Promise<boolean>): Promise<number> {
    const before = left.length;
    if (!isWhole) failure ??= storeUnavailable(new RangeError('There was no time to read all sweep markers'));
    for (const marker of due) {
      try {
        if (!isTimeLeft() || !(await work(marker))) left.push(marker);
      } catch (error) {
        left.push(marker);
        failure ??= error;
      }
    }
    return due.length - (left.length - before);
  }

  if (isTimeLeft()) {
    const before = secondLooksBefore(options.now());
    const looks = await findDue(options, SECOND_LOOKS, { prefix: '', before }, isTimeLeft);
    await doEach(looks, (look) => lookAgain(options, look));
  }
  const markers = await findDue(options, SWEEP_MARKERS, { prefix: '' }, isTimeLeft);
  const removed = await doEach(markers, ({ sort: object }) => sweepObject(options, object));
  const oldestMs = left.length === 0 ? 0 : options.now() - Math.min(...left.map(({ sinceMs }) => sinceMs));
  return { removed, left: left.length, oldestMs, ...(failure !== undefined && { failure }) };
}

/** The due markers of a list. */
interface Found {
  /** The markers, the oldest first. */
  readonly due: readonly Due[];
  /** Whether there was time to read all markers. */
  readonly isWhole: boolean;
}

/** Finds the due markers in all partitions of a list. Reads the first page of every partition, whatever time is left. */
async function findDue(
  { table, client, now }: SweeperOptions,
  { partitions }: Shards,
  range: Omit<StoredRange, 'partition'>,
  isTimeLeft: () => boolean,
): Promise<Found> {
  const due: Due[] = [];
  let isWhole = true;
  const findIn = async (partition: string) => {
    for await (const { stored, more } of storedPages(table, client, { partition, ...range })) {
      due.push(...stored.map((attributes) => dueOf(partition, attributes)).filter(({ sinceMs }) => sinceMs <= now()));
      if (!more || isTimeLeft()) continue;
      isWhole = false;
      break;
    }
  };
  await Promise.all(partitions.map(findIn));
  return { due: due.sort((one, other) => one.sinceMs - other.sinceMs), isWhole };
}

function dueOf(partition: string, stored: StoredPage['stored'][number]): Due {
  const key = { partition, sort: stored['sort']?.S ?? '' };
  try {
    return { ...key, sinceMs: readMarker(itemOf(stored)).dueMs };
  } catch {
    return { ...key, sinceMs: 0 };
  }
}

/**
 * Replaces a second look by a marker, so that the sweep removes the object if it was written late.
 * @returns whether the replacement is done, by this sweeper or by another
 */
async function lookAgain({ table, client }: SweeperOptions, key: Key): Promise<boolean> {
  const items = dynamoDbItems(table, client);
  const item = await items.read(key);
  if (!item) return true;
  const again = markerAgain(objectOfLook(key), readMarker(item));
  return (await items.commit({ writes: [again, { kind: 'remove', key, version: item.version }] })).ok;
}

/**
 * Removes one object if its marker is due and no item refers to the object. If a frozen writer may still write the
 * object, the sweeper looks for it a second time after `SECOND_LOOK_MS`.
 * @returns `true` if nothing is left to do; `false` if the marker is not due or has changed
 * @throws {Problem} `unavailable`; then the marker stays
 */
export async function sweepObject({ table, client, objects, now }: SweeperOptions, object: string): Promise<boolean> {
  const items = dynamoDbItems(table, client);
  const key = markerKey(object);
  const item = await items.read(key);
  if (!item) return true;
  const marker = readMarker(item);
  if (marker.dueMs > now()) return false;
  // This replacement changes the version of the marker. A late transaction requires the first version, so it is
  // refused, and no item can refer to the object any more.
  const take: Write = { kind: 'replace', key, version: item.version, data: item.data };
  if (!(await items.commit({ writes: [take] })).ok) return false;
  if ((await storedObject(table, client, marker)) !== object) await objects.remove(object);
  const writes: Write[] = [{ kind: 'remove', key, version: item.version + 1 }];
  if (marker.isPending) writes.push(secondLook(object, marker, now() + SECOND_LOOK_MS));
  return (await items.commit({ writes })).ok;
}
