import { changeOf } from './change.ts';
import type { DynamoDb } from './client.ts';
import { unavailable } from './failures.ts';
import { itemOf } from './item.ts';
import { readItem } from './items.ts';
import { type StoredPage, storedPages } from './list.ts';
import { markKey, readMark, SWEEP } from './marks.ts';
import type { Objects } from './objects.ts';
import { storedObject } from './payload.ts';
import { transact } from './transaction.ts';

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

/** A mark that is due; one that cannot be read is, since nobody knows for how long. */
interface Due {
  readonly object: string;
  readonly sinceMs: number;
}

/**
 * Removes objects that no item names any more, or ever did, those first that have been due the longest. It may be
 * stopped anywhere and run by many at once: what is to be done stands in the table until it is done.
 * @param isTimeLeft asked before each object, and before each page of marks but the first
 * @throws {Problem} `unavailable` where the marks cannot be read
 */
export async function sweep(options: SweeperOptions, isTimeLeft: () => boolean): Promise<Swept> {
  const { due, isWhole } = await dueMarks(options, isTimeLeft);
  const left: Due[] = [];
  let failure: unknown = isWhole
    ? undefined
    : unavailable(new RangeError('There are more marks than time to read them'));
  for (const mark of due) {
    try {
      if (!isTimeLeft() || !(await sweepObject(options, mark.object))) left.push(mark);
    } catch (error) {
      left.push(mark);
      failure ??= error;
    }
  }
  const oldestMs = left[0] ? options.now() - left[0].sinceMs : 0;
  return { removed: due.length - left.length, left: left.length, oldestMs, ...(failure !== undefined && { failure }) };
}

/** The marks that are due, the oldest first; `isWhole` where there was time to read them all. */
async function dueMarks({ table, client, now }: SweeperOptions, isTimeLeft: () => boolean) {
  const due: Due[] = [];
  let isWhole = true;
  for await (const { stored, more } of storedPages(table, client, { partition: SWEEP, prefix: '' })) {
    due.push(...stored.map(dueOf).filter(({ sinceMs }) => sinceMs <= now()));
    if (!more || isTimeLeft()) continue;
    isWhole = false;
    break;
  }
  return { due: due.sort((one, other) => one.sinceMs - other.sinceMs), isWhole };
}

function dueOf(stored: StoredPage['stored'][number]): Due {
  const object = stored['sort']?.S ?? '';
  try {
    return { object, sinceMs: readMark(itemOf(stored)).dueMs };
  } catch {
    return { object, sinceMs: 0 };
  }
}

/**
 * Removes one object that is marked and due.
 * @returns whether nothing is left to be done about it
 * @throws {Problem} `unavailable`; the mark stays
 */
export async function sweepObject({ table, client, objects, now }: SweeperOptions, object: string): Promise<boolean> {
  const key = markKey(object);
  const item = await readItem(table, client, key);
  if (!item) return true;
  const mark = readMark(item);
  if (mark.dueMs > now()) return false;
  // From here on no transaction that is late can make an item name the object: it relies on the mark as it was.
  const taken = await transact(client, [
    changeOf(table, { kind: 'replace', key, version: item.version, data: item.data }),
  ]);
  if (!taken.ok) return false;
  if ((await storedObject(table, client, mark)) !== object) await objects.remove(object);
  const done = await transact(client, [changeOf(table, { kind: 'remove', key, version: item.version + 1 })]);
  return done.ok;
}
