import { Problem } from '../contract/problem.ts';

/** The key of an item. Partitions are independent of each other; `sort` orders the items of a partition. */
export interface Key {
  readonly partition: string;
  /** At most 1,024 bytes. */
  readonly sort: string;
}

/** A small record. Its data is JSON; the layer that wrote it checks its shape. */
export interface Item extends Key {
  /** The first version when inserted, one more after each replacement. */
  readonly version: number;
  readonly data: unknown;
  /** When the store may remove it, in milliseconds since 1970. The store may do so later. */
  readonly expiresAtMs?: number;
  /** The name of its payload, if it has one. Pass it as `drops` when you replace or remove the item. */
  readonly payload?: string;
}

/** An item with its payload: bytes that may be too many for an item. */
export interface ItemWithPayload {
  readonly item: Item;
  readonly bytes: Uint8Array;
}

/** The new content of an item. */
interface Content {
  readonly key: Key;
  readonly data: unknown;
  readonly expiresAtMs?: number;
}

/** One change, and the condition for it. A batch has one change for each key. */
export type Write =
  /** Refused if the key has an item. */
  | ({ readonly kind: 'insert'; readonly bytes?: Uint8Array } & Inserted & Content)
  /** Never refused: replaces the item, or inserts it. Only for items that never have a payload. */
  | ({ readonly kind: 'put' } & Inserted & Content)
  /** Refused unless the item has this version. */
  | ({ readonly kind: 'replace'; readonly bytes?: Uint8Array } & Present & Content)
  /** Refused unless the item has this version. `erase` also removes its copies from the store's files. */
  | ({ readonly kind: 'remove'; readonly key: Key; readonly erase?: boolean } & Present)
  /** Changes nothing. Refused unless the item has this version, so that a decision based on it still holds. */
  | { readonly kind: 'check'; readonly key: Key; readonly version: number };

interface Inserted {
  /**
   * The version of the item if the key had none; 1 unless given. If a key can be used again after its item was removed,
   * pass a random version. Otherwise a late write that expects the removed item could match the new one.
   */
  readonly firstVersion?: number;
}

/** The version of an item that a write inserts. */
export function firstVersionOf(write: Write): number {
  return ('firstVersion' in write ? write.firstVersion : undefined) ?? 1;
}

/** The item as it was read. */
interface Present {
  readonly version: number;
  /** The name of the payload that the item loses. After the commit nobody can read it; its bytes are removed soon. */
  readonly drops?: string | undefined;
}

/** Changes that are made together or not at all. */
export interface Batch {
  readonly writes: readonly Write[];
  /** The deadline of the request: no retry begins after it. */
  readonly deadline?: { remainingMs(): number };
}

/** The result of a commit; `refused` is the index of the first write whose condition did not hold. */
export type Commit = { readonly ok: true } | { readonly ok: false; readonly refused: number };

/** Selects the items of a partition for one page of a list. */
export interface ListRange {
  /** The prefix of their sort keys. */
  readonly prefix: string;
  /** Only those before this sort key, which has the prefix. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** The page ends once the data of its items has this many bytes. It has at least one item if the range has any. */
  readonly maxBytes: number;
}

export interface ItemPage {
  readonly items: readonly Item[];
  /** Whether the range has more. */
  readonly more: boolean;
}

/** The part of a store that reads items one by one, for the authorizer. */
export interface ItemReader {
  /** Reads an item as the last commit left it. */
  read(key: Key): Promise<Item | undefined>;
}

/** The part of a store that reads and changes items, for keys, tokens and idempotent requests. */
export interface ItemStore extends ItemReader {
  /** Makes all changes durably, or none. */
  commit(batch: Batch): Promise<Commit>;
}

/** The part of a store that also lists items, for a ledger. */
export interface ListedStore extends ItemStore {
  /** Items of a partition in a range, the last first. */
  list(partition: string, range: ListRange): Promise<ItemPage>;
}

/**
 * A durable store. Every method may fail with the problem `unavailable`: then nothing of a batch was done. A commit may
 * also fail with `outcome-unknown`: then either the whole batch was done or nothing of it.
 */
export interface Storage extends ListedStore {
  /** Reads an item and its payload as the last commit left both. Returns `undefined` if it has no payload. */
  readWithPayload(key: Key): Promise<ItemWithPayload | undefined>;
}

/** Returns the problem for a store failure that changed nothing. */
export function storeUnavailable(cause: unknown): Problem {
  return new Problem(
    'unavailable',
    { detail: 'Segue’s database is unavailable. Nothing was stored.', retryAfterSeconds: 5 },
    { cause },
  );
}

/**
 * Makes a handler for the error of a commit that may be repeated, such as taking a token from a bucket: an unknown outcome
 * becomes `unavailable`.
 */
export function asUnavailable(detail: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Problem) || error.name !== 'outcome-unknown') throw error;
    throw new Problem('unavailable', { detail, retryAfterSeconds: 1 }, { cause: error });
  };
}

/** One page of `eachItem`. */
const PAGE = { limit: 100, maxBytes: 1_000_000 } as const;

/** Lists every item of a partition whose sort key has a prefix, the last first. Later pages show changes made meanwhile. */
export async function* eachItem(
  storage: Pick<ListedStore, 'list'>,
  partition: string,
  prefix: string,
): AsyncGenerator<Item> {
  for (let before: string | undefined; ; ) {
    const { items, more } = await storage.list(partition, { prefix, before, ...PAGE });
    yield* items;
    before = items.at(-1)?.sort;
    if (!more) return;
  }
}
