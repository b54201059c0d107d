import { eachItem, type Key, type ListedStore } from '../storage/port.ts';
import { shardsOf } from '../storage/shards.ts';

/** A list of open work in a store, which is sorted by the time at which each entry is due. */
export interface DueListOptions<Ref> {
  /** The beginning of the names of the list's partitions. */
  readonly name: string;
  /** Writes a reference as text for a sort key. */
  readonly write: (ref: Ref) => string;
  /** Parses a text of `write`. */
  readonly read: (text: string) => Ref;
  /** Returns the name of an entry's group. A group with many entries does not hide those of other groups. */
  readonly groupOf: (ref: Ref) => string;
  /** Returns the name of an entry's lock. A process never works on two entries with the same lock at once. */
  readonly lockOf?: (ref: Ref) => string;
  /** Returns an entry's id, which decides its partition. */
  readonly idOf: (ref: Ref) => string;
}

/** An entry of a list: a reference, and when it is due, in milliseconds since 1970. */
export type Due<Ref> = Ref & { readonly dueMs: number };

/** A list of open work. */
export interface DueList<Ref> extends Pick<DueListOptions<Ref>, 'groupOf' | 'lockOf'> {
  /** Returns the key of an entry. The store lists the last key first, so the earliest time sorts last. */
  keyOf(ref: Ref, dueMs: number): Key;
  /** Returns the entry with this key; `undefined` if the key is not that of an entry. */
  refAt(key: Key): Ref | undefined;
  /** Returns the partitions of the list. */
  partitions(): readonly string[];
  /** Lists the due entries that are not in `started`, which has sort keys; the longest due first. */
  due(store: ListedStore, nowMs: number, started: ReadonlySet<string>): Promise<Due<Ref>[]>;
}

/** The latest time in a key, in milliseconds since 1970: in the year 2286. Later times would need a 14th digit. */
const LAST_MS = 9_999_999_999_999;

/** The limits of one listing, over all partitions. */
const LISTING = {
  /** The most entries to return. */
  max: 5_000,
  /** The most entries of one group to return. */
  maxOfGroup: 1_000,
  /** The most entries to read: more than `max`, to find other groups behind one with many entries. */
  maxRead: 20_000,
} as const;

/** Creates a list of open work. */
export function dueList<Ref>({ name, write, read, groupOf, lockOf, idOf }: DueListOptions<Ref>): DueList<Ref> {
  const { partitions, partitionOf } = shardsOf(name);
  const keyOf = (ref: Ref, dueMs: number): Key => ({
    partition: partitionOf(idOf(ref)),
    sort: `${String(LAST_MS - dueMs).padStart(13, '0')}/${write(ref)}`,
  });
  const refIn = (sort: string) => read(sort.slice(sort.indexOf('/') + 1));
  return {
    groupOf,
    ...(lockOf && { lockOf }),
    keyOf,
    refAt: ({ partition, sort }) => (partitions.includes(partition) ? refIn(sort) : undefined),
    partitions: () => partitions,
    async due(store, nowMs, started) {
      const shards = await Promise.all(
        partitions.map(async (partition) => {
          const listed: Due<Ref>[] = [];
          const ofGroups = new Map<string, number>();
          let count = 0;
          for await (const { sort } of eachItem(store, partition, '')) {
            const dueMs = LAST_MS - Number(sort.slice(0, sort.indexOf('/')));
            if (
              dueMs > nowMs ||
              listed.length * partitions.length >= LISTING.max ||
              count++ * partitions.length >= LISTING.maxRead
            )
              break;
            const ref = refIn(sort);
            const ofGroup = ofGroups.get(groupOf(ref)) ?? 0;
            if (ofGroup * partitions.length >= LISTING.maxOfGroup || started.has(sort)) continue;
            ofGroups.set(groupOf(ref), ofGroup + 1);
            listed.push({ ...ref, dueMs });
          }
          return listed;
        }),
      );
      return shards.flat().sort((one, other) => one.dueMs - other.dueMs);
    },
  };
}
