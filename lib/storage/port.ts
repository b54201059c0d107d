/** Where an item is: partitions are independent of each other, items of one are ordered by `sort`. */
export interface Key {
  readonly partition: string;
  /** At most 1,024 bytes. */
  readonly sort: string;
}

/** A small record. Its data is JSON whose shape the layer that wrote it knows and checks. */
export interface Item extends Key {
  /** Its first version when inserted, one more at every replacement. */
  readonly version: number;
  readonly data: unknown;
  /** When the store may remove it, in milliseconds since 1970. It may also be there for a while after that. */
  readonly expiresAtMs?: number;
  /** The name of its payload, where it has one: to be given back where the item is replaced or removed. */
  readonly payload?: string;
}

/** An item with the bytes that belong to it, which may be too many for an item. */
export interface ItemWithPayload {
  readonly item: Item;
  readonly bytes: Uint8Array;
}

/** What an item is to become. */
interface Content {
  readonly key: Key;
  readonly data: unknown;
  readonly expiresAtMs?: number;
}

/** One change, with the condition under which it may be made. No two of a batch are about the same key. */
export type Write =
  /** Refused where the key has an item. */
  | ({ readonly kind: 'insert'; readonly bytes?: Uint8Array } & Inserted & Content)
  /** Never refused: replaces the item, or inserts it. Only for items that never have a payload. */
  | ({ readonly kind: 'put' } & Inserted & Content)
  /** Refused unless the item has this version. */
  | ({ readonly kind: 'replace'; readonly bytes?: Uint8Array } & Present & Content)
  /** Refused unless the item has this version. Where it is to be erased, no copy of it stays in the store's files. */
  | ({ readonly kind: 'remove'; readonly key: Key; readonly erase?: boolean } & Present)
  /** Changes nothing, and is refused unless the item has this version: what was decided by it still holds. */
  | { readonly kind: 'check'; readonly key: Key; readonly version: number };

/** An item whose key may have none. */
interface Inserted {
  /**
   * Its version if the key had no item; 1 unless given. If a key is used again after its item was removed, give a random
   * one: otherwise a change that was decided by the removed item could match the new one.
   */
  readonly firstVersion?: number;
}

/** The version that a write gives to an item that is not there yet. */
export function firstVersionOf(write: Write): number {
  return ('firstVersion' in write ? write.firstVersion : undefined) ?? 1;
}

/** The item as it was read. */
interface Present {
  readonly version: number;
  /** Its payload then: unreadable at once, and its bytes gone soon after. */
  readonly drops?: string | undefined;
}

/** What happens together or not at all. */
export interface Batch {
  readonly writes: readonly Write[];
  /** Until when somebody waits for it: a store that takes no more now is asked again until then, and no longer. */
  readonly deadline?: { remainingMs(): number };
}

export type Commit = { readonly ok: true } | { readonly ok: false; readonly refused: number };

/** Which items of a partition to list. */
export interface Range {
  /** How their sort keys begin. */
  readonly prefix: string;
  /** Only those before this sort key. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** No further item once their data has so many bytes; one at least. */
  readonly maxBytes: number;
}

export interface ItemPage {
  readonly items: readonly Item[];
  /** Whether the range has more. */
  readonly more: boolean;
}

/** Reads items one by one. All that the authorizer needs of a store. */
export interface ItemReader {
  /** Reads what the last commit left. */
  read(key: Key): Promise<Item | undefined>;
}

/** Reads and changes items. All that keys, tokens and requests that happen once need of a store. */
export interface ItemStore extends ItemReader {
  /** Makes all changes durably, or none; `refused` is the index of the first write whose condition did not hold. */
  commit(batch: Batch): Promise<Commit>;
}

/** Also lists them: all that a ledger needs of a store. */
export interface ListedStore extends ItemStore {
  /** Items of a partition in a range, the last first. */
  list(partition: string, range: Range): Promise<ItemPage>;
}

/**
 * A durable store. Every method may fail with the problem `unavailable`; then nothing of a batch was done. A commit
 * whose answer was lost fails with `outcome-unknown`: then either all of the batch was done or nothing.
 */
export interface Storage extends ListedStore {
  /** Reads an item together with its payload, as the last commit left both; `undefined` where it has none. */
  readWithPayload(key: Key): Promise<ItemWithPayload | undefined>;
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
