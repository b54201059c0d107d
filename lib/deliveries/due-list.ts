import type { Key } from '../storage/port.ts';
import { shardsOf } from '../storage/shards.ts';

/** Something that belongs to a company. */
export interface OfCompany {
  readonly companyId: string;
}

/** A list of open work in a store, which is sorted by company, and then by the time at which each entry is due. */
export interface DueListOptions<Ref extends OfCompany> {
  /** The beginning of the names of the list's partitions. */
  readonly name: string;
  /** Writes a reference as text for a sort key, without its company. */
  readonly write: (ref: Ref) => string;
  /** Parses a text of `write`. */
  readonly read: (companyId: string, text: string) => Ref;
  /** Returns the name of an entry's group in its company. By default, all entries of a company are in one group. */
  readonly groupOf?: (ref: Ref) => string;
  /** Returns the name of an entry's lock in its group. A process never works on two entries with the same lock at once. */
  readonly lockOf?: (ref: Ref) => string;
  /** Returns an entry's id, which decides its partition. */
  readonly idOf: (ref: Ref) => string;
  /** Returns the latest time at which an entry that is added now is due, in milliseconds since 1970. */
  readonly latestDueMs: (nowMs: number) => number;
}

/** An entry of a list: a reference, and when it is due, in milliseconds since 1970. */
export type Due<Ref> = Ref & { readonly dueMs: number };

/** A list of open work. */
export interface DueList<Ref extends OfCompany> {
  /** Returns the names of an entry's company, of its group in the company, and of its lock in the group, if it has one. */
  pathOf(ref: Ref): string[];
  /** Returns the key of an entry. */
  keyOf(ref: Ref, dueMs: number): Key;
  /** Returns the entry with this key; `undefined` if the key is not that of an entry. */
  entryAt(key: Key): Due<Ref> | undefined;
  /** Returns the partitions of the list. */
  partitions(): readonly string[];
  /** Returns the prefix of the sort keys of the entries of a company. */
  prefixOf(companyId: string): string;
  /**
   * Whether an entry is due. One that is due later than any right entry was added while the clock was wrong: it is due
   * now, or it would wait until the clock has that time again.
   */
  isDue(dueMs: number, nowMs: number): boolean;
  /** Returns the sort key before which all entries of a company that are due too late to be right are. */
  tooLate(companyId: string, nowMs: number): string;
}

/** The latest time in a key, in milliseconds since 1970: in the year 2286. Later times would need a 14th digit. */
const LAST_MS = 9_999_999_999_999;
/** How much later than any right entry an entry may be due, in milliseconds: the clocks of two machines may differ. */
const MAX_SKEW_MS = 600_000;

/**
 * Creates a list of open work. The store lists the last key first, so of each company the entry that is due first. All
 * entries of a company are together, so that a reader can leave out the rest of a company that has many.
 */
export function dueList<Ref extends OfCompany>(options: DueListOptions<Ref>): DueList<Ref> {
  const { name, write, read, groupOf = ({ companyId }) => companyId, lockOf, idOf, latestDueMs } = options;
  const { partitions, partitionOf } = shardsOf(name);
  const prefixOf = (companyId: string) => `${companyId}/`;
  const timed = (companyId: string, dueMs: number) =>
    prefixOf(companyId) + String(LAST_MS - Math.min(dueMs, LAST_MS)).padStart(13, '0');
  const latest = (nowMs: number) => latestDueMs(nowMs) + MAX_SKEW_MS;
  return {
    pathOf: (ref) => [ref.companyId, groupOf(ref), ...(lockOf ? [lockOf(ref)] : [])],
    keyOf: (ref, dueMs) => ({
      partition: partitionOf(idOf(ref)),
      sort: `${timed(ref.companyId, dueMs)}/${write(ref)}`,
    }),
    entryAt({ partition, sort }) {
      if (!partitions.includes(partition)) return undefined;
      const [companyId = '', time, ...text] = sort.split('/');
      return { ...read(companyId, text.join('/')), dueMs: LAST_MS - Number(time) };
    },
    partitions: () => partitions,
    prefixOf,
    isDue: (dueMs, nowMs) => dueMs <= nowMs || dueMs > latest(nowMs),
    tooLate: (companyId, nowMs) => timed(companyId, latest(nowMs)),
  };
}
