import { storeUnavailable, type Write } from '../port.ts';
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

export interface SweeperOptions {
  readonly table: string;
  readonly client: DynamoDb;
  readonly objects: Objects;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The result of a sweep. */
export interface Swept {
  /** How many objects were removed. */
  readonly removed: number;
  /** How many due objects are left; at least this many if there was no time to count them. */
  readonly left: number;
  /** How long the oldest of these has been due, in milliseconds. */
  readonly oldestMs: number;
  /** The first failure other than missing time. */
  readonly failure?: unknown;
}

/** A marker or second look that is due. One that cannot be read is due since 1970. */
interface Due {
  readonly sort: string;
  readonly sinceMs: number;
}

/**
 * Removes objects that no item names, beginning with those that have been due the longest. It may be killed at any point
 * and run several times at once: a marker stays in the table until its work is done.
 * @param isTimeLeft called before second looks are read, before each page but the first, and before each object
 * @throws {Problem} `unavailable` if the markers cannot be read
 */
export async function sweep(options: SweeperOptions, isTimeLeft: () => boolean): Promise<Swept> {
  const left: Due[] = [];
  let failure: unknown;

  /** @returns how many are done */
  async function doEach({ due, isWhole }: Found, work: (sort: string) => Promise<boolean>): Promise<number> {
    const before = left.length;
    if (!isWhole) failure ??= storeUnavailable(new RangeError('There are more markers than time to read them'));
    for (const marker of due) {
      try {
        if (!isTimeLeft() || !(await work(marker.sort))) left.push(marker);
      } catch (error) {
        left.push(marker);
        failure ??= error;
      }
    }
    return due.length - (left.length - before);
  }

  if (isTimeLeft()) {
    const before = secondLooksBefore(options.now());
    const looks = await findDue(options, { partition: SECOND_LOOKS, prefix: '', before }, isTimeLeft);
    await doEach(looks, (sort) => lookAgain(options, sort));
  }
  const markers = await findDue(options, { partition: SWEEP_MARKERS, prefix: '' }, isTimeLeft);
  const removed = await doEach(markers, (object) => sweepObject(options, object));
  const oldestMs = left.length === 0 ? 0 : options.now() - Math.min(...left.map(({ sinceMs }) => sinceMs));
  return { removed, left: left.length, oldestMs, ...(failure !== undefined && { failure }) };
}

interface Found {
  /** The oldest first. */
  readonly due: readonly Due[];
  /** Whether there was time to read them all. */
  readonly isWhole: boolean;
}

async function findDue(
  { table, client, now }: SweeperOptions,
  range: StoredRange,
  isTimeLeft: () => boolean,
): Promise<Found> {
  const due: Due[] = [];
  let isWhole = true;
  for await (const { stored, more } of storedPages(table, client, range)) {
    due.push(...stored.map(dueOf).filter(({ sinceMs }) => sinceMs <= now()));
    if (!more || isTimeLeft()) continue;
    isWhole = false;
    break;
  }
  return { due: due.sort((one, other) => one.sinceMs - other.sinceMs), isWhole };
}

function dueOf(stored: StoredPage['stored'][number]): Due {
  const sort = stored['sort']?.S ?? '';
  try {
    return { sort, sinceMs: readMarker(itemOf(stored)).dueMs };
  } catch {
    return { sort, sinceMs: 0 };
  }
}

/**
 * Adds a marker for the object of a second look, so that it is swept.
 * @returns whether this is done, by this sweeper or by another
 */
async function lookAgain({ table, client }: SweeperOptions, sort: string): Promise<boolean> {
  const items = dynamoDbItems(table, client);
  const key = { partition: SECOND_LOOKS, sort };
  const item = await items.read(key);
  if (!item) return true;
  const again = markerAgain(objectOfLook(key), readMarker(item));
  return (await items.commit({ writes: [again, { kind: 'remove', key, version: item.version }] })).ok;
}

/**
 * Removes one object whose marker is due. An object that may still be written gets a second look.
 * @returns whether nothing is left to do for it
 * @throws {Problem} `unavailable`; the marker stays
 */
export async function sweepObject({ table, client, objects, now }: SweeperOptions, object: string): Promise<boolean> {
  const items = dynamoDbItems(table, client);
  const key = markerKey(object);
  const item = await items.read(key);
  if (!item) return true;
  const marker = readMarker(item);
  if (marker.dueMs > now()) return false;
  // From here on no late transaction can make an item name the object: it needs the marker in its first version.
  const take: Write = { kind: 'replace', key, version: item.version, data: item.data };
  if (!(await items.commit({ writes: [take] })).ok) return false;
  if ((await storedObject(table, client, marker)) !== object) await objects.remove(object);
  const writes: Write[] = [{ kind: 'remove', key, version: item.version + 1 }];
  if (marker.isPending) writes.push(secondLook(object, marker, now() + SECOND_LOOK_MS));
  return (await items.commit({ writes })).ok;
}
