import type { Write } from '../port.ts';
import { commitTransaction } from './calls.ts';
import type { DynamoDb } from './client.ts';
import { unavailable } from './failures.ts';
import { changeOf, itemOf } from './item.ts';
import { readItem, type StoredPage, type StoredRange, storedPages } from './items.ts';
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

/** What a sweep came to. */
export interface Swept {
  /** Objects that were removed. */
  readonly removed: number;
  /** Objects that are due and could not be removed now; at least so many where there was not even time to count them. */
  readonly left: number;
  /** How long the oldest of these has been due, in milliseconds. */
  readonly oldestMs: number;
  /** Why the first of these could not be removed, where it was not for time. */
  readonly failure?: unknown;
}

/** A mark or a second look that is due; one that cannot be read is, since nobody knows for how long. */
interface Due {
  readonly sort: string;
  readonly sinceMs: number;
}

/**
 * Removes objects that no item names any more, or ever did, those first that have been due the longest. It may be
 * stopped anywhere and run by many at once: what is to be done stands in the table until it is done.
 * @param isTimeLeft asked before second looks are read, before each page but the first, and before each object
 * @throws {Problem} `unavailable` where the marks cannot be read
 */
export async function sweep(options: SweeperOptions, isTimeLeft: () => boolean): Promise<Swept> {
  const left: Due[] = [];
  let failure: unknown;

  /** @returns how many are done */
  async function doEach({ due, isWhole }: Found, work: (sort: string) => Promise<boolean>): Promise<number> {
    const before = left.length;
    if (!isWhole) failure ??= unavailable(new RangeError('There are more marks than time to read them'));
    for (const mark of due) {
      try {
        if (!isTimeLeft() || !(await work(mark.sort))) left.push(mark);
      } catch (error) {
        left.push(mark);
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
  const marks = await findDue(options, { partition: SWEEP_MARKERS, prefix: '' }, isTimeLeft);
  const removed = await doEach(marks, (object) => sweepObject(options, object));
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
 * Marks the object of a second look, so that it is swept.
 * @returns whether this is done, by this sweeper or by another
 */
async function lookAgain({ table, client }: SweeperOptions, sort: string): Promise<boolean> {
  const key = { partition: SECOND_LOOKS, sort };
  const item = await readItem(table, client, key);
  if (!item) return true;
  const marked = [
    markerAgain(objectOfLook(key), readMarker(item)),
    { kind: 'remove', key, version: item.version },
  ] as const;
  return (
    await commitTransaction(
      client,
      marked.map((write) => changeOf(table, write)),
    )
  ).ok;
}

/**
 * Removes one object that is marked and due. An object that may be written later gets a second look.
 * @returns whether nothing is left to be done about it
 * @throws {Problem} `unavailable`; the mark stays
 */
export async function sweepObject({ table, client, objects, now }: SweeperOptions, object: string): Promise<boolean> {
  const key = markerKey(object);
  const item = await readItem(table, client, key);
  if (!item) return true;
  const mark = readMarker(item);
  if (mark.dueMs > now()) return false;
  // From here on no transaction that is late can make an item name the object: it relies on the mark as it was.
  const taken = await commitTransaction(client, [
    changeOf(table, { kind: 'replace', key, version: item.version, data: item.data }),
  ]);
  if (!taken.ok) return false;
  if ((await storedObject(table, client, mark)) !== object) await objects.remove(object);
  const done: Write[] = [{ kind: 'remove', key, version: item.version + 1 }];
  if (mark.isPending) done.push(secondLook(object, mark, now() + SECOND_LOOK_MS));
  return (
    await commitTransaction(
      client,
      done.map((write) => changeOf(table, write)),
    )
  ).ok;
}
