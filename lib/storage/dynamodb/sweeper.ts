import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { changeOf } from './change.ts';
import { readItem } from './items.ts';
import { listItems } from './list.ts';
import { markKey, readMark, SWEEP } from './marks.ts';
import type { Objects } from './objects.ts';
import { storedObject } from './payload.ts';
import { transact } from './transaction.ts';

export interface SweeperOptions {
  readonly table: string;
  readonly client: DynamoDBClient;
  readonly objects: Objects;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a sweep came to. */
export interface Swept {
  /** Objects that were removed. */
  readonly removed: number;
  /** Objects that are due and could not be removed now. */
  readonly left: number;
  /** How long the oldest of these has been due, in milliseconds. */
  readonly oldestMs: number;
}

/** How many marks are looked at together. */
const PAGE = { prefix: '', limit: 100, maxBytes: 1_000_000 } as const;

/**
 * Removes objects that no item names any more, or ever did. It may be stopped anywhere and run by many at once: what is
 * to be done stands in the table until it is done.
 * @param isTimeLeft asked before each object
 */
export async function sweep(options: SweeperOptions, isTimeLeft: () => boolean): Promise<Swept> {
  const { table, client, now } = options;
  let removed = 0;
  let left = 0;
  let oldestMs = 0;
  for (let before: string | undefined; ; ) {
    const { items, more } = await listItems(table, client, SWEEP, { ...PAGE, before });
    for (const item of items) {
      const dueForMs = now() - readMark(item).dueMs;
      if (dueForMs < 0) continue;
      if (isTimeLeft() && (await sweepObject(options, item.sort).catch(() => false))) {
        removed++;
      } else {
        left++;
        oldestMs = Math.max(oldestMs, dueForMs);
      }
    }
    before = items.at(-1)?.sort;
    if (!more) return { removed, left, oldestMs };
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
