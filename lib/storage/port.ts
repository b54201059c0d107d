import { Problem } from '../contract/problem.ts';

/** The key of an item. */
export interface Key {
  /** The group of items that the item belongs to. A list shows the items of one partition. */
  readonly partition: string;
  /** The sort key, which orders the items of a partition. It has at most 1,024 bytes. */
  readonly sort: string;
}

/**
 * The prefix of the partitions of credentials: companies, API keys, tokens and guards. On AWS, these partitions are in a
 * table of their own, so that only the functions that need an item of it may read or write it. A commit may change items
 * of both tables.
 */
export const CREDENTIALS = 'credentials/';

/** A small record in the store. */
export interface Item extends Key {
  /** The version of the item. It starts at 1, unless the insert sets `firstVersion`. Each replacement adds 1. */
  readonly version: number;
  /** A JSON value. The store does not check its shape: the code that reads the item does. */
  readonly data: unknown;
  /** When the item expires, in milliseconds since 1970. The store may remove it then or later. */
  readonly expiresAtMs?: number;
  /** The name of the item's payload, if it has one. To replace or remove the item, pass this name as `drops`. */
  readonly payload?: string;
  /** The payload itself, if it is small: then the store keeps it inside the item. */
  readonly bytes?: Uint8Array;
}

/** The maximum size of a payload inside its item, in bytes. DynamoDB reads a project with such a payload for one or two units. */
export const MAX_INSIDE_BYTES = 4_096;
/** The name of each payload inside its item. */
export const INSIDE = 'inside';

/** Whether a store keeps a payload inside its item. */
export function isInside(bytes: Uint8Array): boolean {
  return bytes.length <= MAX_INSIDE_BYTES;
}

/** An item with its payload. A payload is binary data that may be too large for an item. */
export interface ItemWithPayload {
  readonly item: Item;
  readonly bytes: Uint8Array;
}

/** A range of the bytes of a payload: from `from` up to, but not including, `to`. It has at least one byte. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The new content of an item. */
interface Content {
  readonly key: Key;
  readonly data: unknown;
  readonly expiresAtMs?: number;
}

/** One change of an item, with its condition. A batch contains at most one write for each key. */
export type Write =
  /**
   * Inserts an item. The store refuses this write if the key already has an item. With `replacesExpiredAtMs`, it replaces
   * an item without payload that has expired by this time, in milliseconds since 1970.
   */
  | ({ readonly kind: 'insert'; readonly bytes?: Uint8Array; readonly replacesExpiredAtMs?: number } & Inserted &
      Content)
  /**
   * Inserts an item, or replaces it whatever its version. The item has no payload. The store never refuses this write,
   * unless the item would get a version above `maxVersion`, which is 1 or more.
   */
  | ({ readonly kind: 'put'; readonly maxVersion?: number } & Inserted & Content)
  /** Replaces an item. The store refuses this write unless the item has the given version. */
  | ({ readonly kind: 'replace'; readonly bytes?: Uint8Array } & Present & Content)
  /**
   * Removes an item. The store refuses this write unless the item has the given version. With `erase`, the store also
   * removes old copies of the item from its files.
   */
  | ({ readonly kind: 'remove'; readonly key: Key; readonly erase?: boolean } & Present)
  /** Changes nothing. The store refuses the batch unless the item has the given version. */
  | { readonly kind: 'check'; readonly key: Key; readonly version: number };

/** The options of a write that can insert an item. */
interface Inserted {
  /**
   * The version of the inserted item; 1 by default. If a key can be used again after its item was removed, pass a
   * random version. Otherwise a late write that expects the removed item could match the new item.
   */
  readonly firstVersion?: number;
}

/** Returns the version that an item has after a write has inserted it. */
export function firstVersionOf(write: Write): number {
  return ('firstVersion' in write ? write.firstVersion : undefined) ?? 1;
}

/** The condition of a write that changes an existing item. */
interface Present {
  /** The version of the item, as it was read. */
  readonly version: number;
  /**
   * The name of the payload that the item loses. After the commit nobody can read it, and the sweeper removes its
   * bytes.
   */
  readonly drops?: string | undefined;
}

/** Writes that the store commits together: all of them or none. */
export interface Batch {
  readonly writes: readonly Write[];
  /** The deadline of the request. After it, a remote store makes no further attempt to commit. */
  readonly deadline?: { remainingMs(): number };
  /**
   * Whether a store on a full disk uses its reserve for this batch. Only deletions and what a caller
   * needs for them, changes that lock somebody out, and the start set this.
   */
  readonly usesReserve?: boolean;
}

/** The result of a commit. `refused` is the index of the first write whose condition did not hold. */
export type Commit = { readonly ok: true } | { readonly ok: false; readonly refused: number };

/** Selects the items of a partition for one page of a list. */
export interface ListRange {
  /** The prefix of the sort keys. */
  readonly prefix: string;
  /** If present, only items before this sort key are listed. It must start with the prefix. */
  readonly before?: string | undefined;
  /** The maximum number of items in the page. */
  readonly limit: number;
  /**
   * The page ends when the data of its items has this many bytes, with the payloads inside them. It contains at least
   * one item, if the range does.
   */
  readonly maxBytes: number;
}

/** One page of a list. */
export interface ItemPage {
  readonly items: readonly Item[];
  /** Whether the range has items after this page. */
  readonly more: boolean;
}

/** The part of a store that reads single items. The authorizer needs no more. */
export interface ItemReader {
  /** Reads the current state of an item: every commit that has ended is visible. */
  read(key: Key): Promise<Item | undefined>;
}

/** The part of a store that reads and changes single items. Keys, tokens and idempotent requests need no more. */
export interface ItemStore extends ItemReader {
  /** Commits all writes of a batch durably, or none. */
  commit(batch: Batch): Promise<Commit>;
}

/** The part of a store that reads, changes and lists items. A ledger needs no more. */
export interface ListedStore extends ItemStore {
  /** Lists the items of a partition in a range, in descending order of their sort keys. */
  list(partition: string, range: ListRange): Promise<ItemPage>;
}

/**
 * A durable store of items and payloads. Every method may throw the problem `unavailable`. A commit
 * that throws it has changed nothing. A commit may also throw `outcome-unknown`: the store made either
 * all changes of the batch or none. A read of a payload may throw `content-lost`.
 */
export interface Storage extends ListedStore {
  /**
   * Reads the current state of an item and its payload. Returns `undefined` if the item does not exist or has no
   * payload.
   */
  readWithPayload(key: Key): Promise<ItemWithPayload | undefined>;
  /**
   * Reads some bytes of a payload. Returns `undefined` if the item has changed since it was read, or has no payload. A
   * payload inside the item was read with it.
   * @param item the item, as it was read from the store
   */
  readPayloadRange(item: Item, range: ByteRange): Promise<Uint8Array | undefined>;
}

/** Returns a store whose commits use the reserve of a full disk. */
export function withReserve(store: ListedStore): ListedStore {
  return {
    read: (key) => store.read(key),
    list: (partition, range) => store.list(partition, range),
    commit: (batch) => store.commit({ ...batch, usesReserve: true }),
  };
}

/** Returns a storage whose commits use the reserve of a full disk. */
export function storageWithReserve(storage: Storage): Storage {
  return {
    ...withReserve(storage),
    readWithPayload: (key) => storage.readWithPayload(key),
    readPayloadRange: (item, range) => storage.readPayloadRange(item, range),
  };
}

/**
 * Makes an error handler that turns `outcome-unknown` into `unavailable` and throws other errors again. Use it for a
 * commit that is safe to repeat, such as one that counts a request against a rate limit.
 * @param detail the text of the new problem
 */
export function asUnavailable(detail: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Problem) || error.name !== 'outcome-unknown') throw error;
    throw new Problem('unavailable', { detail, retryAfterSeconds: 1 }, { cause: error });
  };
}

/** The size limits of the pages that `eachItem` reads by default. */
const PAGE = { limit: 100, maxBytes: 1_000_000 };

/**
 * Yields every item of a partition whose sort key has a prefix, in descending order. The items are read page by page,
 * so later items may show changes made since the start.
 */
export async function* eachItem(
  storage: Pick<ListedStore, 'list'>,
  partition: string,
  prefix: string,
  page: Pick<ListRange, 'limit' | 'maxBytes'> = PAGE,
): AsyncGenerator<Item> {
  for (let before: string | undefined; ; ) {
    const { items, more } = await storage.list(partition, { prefix, before, ...page });
    yield* items;
    before = items.at(-1)?.sort;
    if (!more) return;
  }
}
