import { MAX_IN_TABLE_BYTES } from '../../lib/storage/dynamodb/payload.ts';
import {
  type Batch,
  type ByteRange,
  type Commit,
  firstVersionOf,
  INSIDE,
  type Item,
  type ItemPage,
  type ItemWithPayload,
  isInside,
  type Key,
  type ListRange,
  type Storage,
  type Write,
} from '../../lib/storage/port.ts';
import { decodeData, encodeData } from '../../lib/storage/record.ts';
import { MAX_OPERATIONS } from '../../lib/storage/transaction-size.ts';
import { compareBytes } from './aws/expressions.ts';

/** A stored item. It is a text, so that no reader or writer can change it later. */
interface Kept {
  readonly version: number;
  readonly text: string;
  readonly expiresAtMs: number | undefined;
  readonly payload: { readonly name: string; readonly bytes: Uint8Array } | undefined;
}

/**
 * A store in memory, fast enough for millions of operations. Its items do not expire. It accepts no batch that DynamoDB would
 * refuse as too large.
 */
export class MemoryStorage implements Storage {
  readonly #partitions = new Map<string, Map<string, Kept>>();
  #payloads = 0;

  async read(key: Key): Promise<Item | undefined> {
    return this.peek(key);
  }

  async readWithPayload(key: Key): Promise<ItemWithPayload | undefined> {
    const kept = this.#at(key);
    return kept?.payload && { item: itemOf(key, kept), bytes: kept.payload.bytes.slice() };
  }

  async readPayloadRange(item: Item, { from, to }: ByteRange): Promise<Uint8Array | undefined> {
    if (item.bytes) return item.bytes.slice(from, to);
    const payload = this.#at(item)?.payload;
    return payload?.name === item.payload ? payload?.bytes.slice(from, to) : undefined;
  }

  async list(partition: string, { prefix, before, limit, maxBytes }: ListRange): Promise<ItemPage> {
    const sorts = this.sorts(partition)
      .filter((sort) => sort.startsWith(prefix) && (before === undefined || compareBytes(sort, before) < 0))
      .sort((one, other) => compareBytes(other, one));
    const items: Item[] = [];
    let bytes = 0;
    for (const sort of sorts) {
      const kept = this.#at({ partition, sort });
      if (!kept) continue;
      if (items.length === limit || (items.length > 0 && bytes >= maxBytes)) return { items, more: true };
      const item = itemOf({ partition, sort }, kept);
      bytes += Buffer.byteLength(kept.text) + (item.bytes?.length ?? 0);
      items.push(item);
    }
    return { items, more: false };
  }

  async commit({ writes }: Batch): Promise<Commit> {
    const refused = writes.findIndex((write) => !this.#allows(write));
    if (refused !== -1) return { ok: false, refused };
    const operations = writes.reduce((sum, write) => sum + this.#operationsOf(write), 0);
    if (operations > MAX_OPERATIONS) throw new RangeError(`A batch has ${operations} operations`);
    for (const write of writes) this.#apply(write);
    return { ok: true };
  }

  /** Returns an item without waiting. */
  peek(key: Key): Item | undefined {
    const kept = this.#at(key);
    return kept && itemOf(key, kept);
  }

  /** Returns all items. */
  all(): Item[] {
    return [...this.#partitions.keys()].flatMap((partition) =>
      this.sorts(partition).flatMap((sort) => this.peek({ partition, sort }) ?? []),
    );
  }

  /** Returns the sort keys of a partition, in no order. */
  sorts(partition: string): string[] {
    return [...(this.#partitions.get(partition)?.keys() ?? [])];
  }

  #at({ partition, sort }: Key): Kept | undefined {
    return this.#partitions.get(partition)?.get(sort);
  }

  /** Returns how many operations the store on AWS needs for a write: for its item, its new payload, and its dropped payload. */
  #operationsOf(write: Write): number {
    const bytes = 'bytes' in write ? write.bytes : undefined;
    const dropped = 'drops' in write && write.drops !== undefined ? this.#at(write.key)?.payload?.bytes : undefined;
    const outside = [bytes, dropped].filter((payload) => payload && !isInside(payload));
    const objects = outside.filter((payload) => (payload?.length ?? 0) > MAX_IN_TABLE_BYTES);
    return 1 + Number(outside.length > 0) + objects.length;
  }

  #allows(write: Write): boolean {
    const present = this.#at(write.key);
    switch (write.kind) {
      case 'insert':
        return present === undefined || (present.expiresAtMs ?? Infinity) <= (write.replacesExpiredAtMs ?? 0);
      case 'put':
        return (present?.version ?? 0) < (write.maxVersion ?? Infinity);
      default:
        return present?.version === write.version;
    }
  }

  #apply(write: Write): void {
    const { partition, sort } = write.key;
    const items = this.#partitions.get(partition) ?? new Map<string, Kept>();
    this.#partitions.set(partition, items);
    if (write.kind === 'check') return;
    if (write.kind === 'remove') {
      items.delete(sort);
      return;
    }
    items.set(sort, {
      version: (items.get(sort)?.version ?? firstVersionOf(write) - 1) + 1,
      text: encodeData(write.data),
      expiresAtMs: write.expiresAtMs,
      payload:
        'bytes' in write && write.bytes
          ? {
              name: isInside(write.bytes) ? INSIDE : `payload-${++this.#payloads}`,
              bytes: Uint8Array.from(write.bytes),
            }
          : undefined,
    });
  }
}

function itemOf({ partition, sort }: Key, { version, text, expiresAtMs, payload }: Kept): Item {
  return {
    partition,
    sort,
    version,
    data: decodeData(text),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(payload && { payload: payload.name }),
    ...(payload?.name === INSIDE && { bytes: payload.bytes.slice() }),
  };
}
